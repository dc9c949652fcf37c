import type { HeldLease } from "../ports/lease.ts";
import type { Policies } from "./remote-options.ts";
import type { RemoteState } from "./state.ts";
import type { RemoteRenewal, UnrenewedRemote } from "./types.ts";

/** Extends leases: one statement for each worker id under which they were claimed, which is one for each gateway. */
export async function renewLeases(
  { engine: { state, callOptions, events }, policies, dealt }: Pick<RemoteState, "engine" | "policies" | "dealt">,
  renewals: readonly RemoteRenewal[],
): Promise<readonly UnrenewedRemote[]> {
  const unrenewed: UnrenewedRemote[] = [];
  for (const [workerId, own] of Map.groupBy(renewals, ({ lease }) => lease.workerId)) {
    const { latest, outdated } = latestOf(own);
    for (const { lease } of outdated) unrenewed.push({ lease, reason: "lease-lost" });
    const held = [...latest.values()].map((renewal) => heldLease(policies, renewal));
    const lost = await state.renew({ workerId, held }, callOptions());
    for (const [at, { lease }] of [...latest.values()].entries()) dealt.extend(lease, held[at]?.leaseMs ?? 0);
    for (const { fence, reason } of lost) {
      const renewal = latest.get(fence.jobId);
      if (renewal === undefined) continue;
      if (reason !== "busy") dealt.remove(renewal.lease);
      unrenewed.push({ lease: renewal.lease, reason });
    }
    events.record([{ type: "leases-renewed", workerId, count: held.length - lost.length }], undefined);
  }
  return unrenewed;
}

function heldLease(policies: Policies, { lease: { id: jobId, fence, typeName }, leaseMs }: RemoteRenewal): HeldLease {
  return { jobId, fence, leaseMs: Math.min(leaseMs, policies.of(typeName).leaseMs) };
}

/** The engine names no job twice in a call: of several claims of one job only the last one can still hold. */
function latestOf(renewals: readonly RemoteRenewal[]) {
  const latest = new Map<string, RemoteRenewal>();
  const outdated: RemoteRenewal[] = [];
  for (const renewal of renewals) {
    const before = latest.get(renewal.lease.id);
    const isNewer = before === undefined || before.lease.fence <= renewal.lease.fence;
    const older = isNewer ? before : renewal;
    if (older !== undefined && older.lease.fence !== (isNewer ? renewal : before)?.lease.fence) outdated.push(older);
    if (isNewer) latest.set(renewal.lease.id, renewal);
  }
  return { latest, outdated };
}
