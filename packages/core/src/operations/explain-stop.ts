import type { ChainRecord, JobRecord } from "../model/record.ts";
import type { StoreAccess } from "../engine/engine.ts";

/** What a chain that has stopped at this job has started, and what the first open one of them waits for. Undefined: it has started nothing. */
export async function stopSentence(
  store: StoreAccess,
  { status }: JobRecord,
  chain: ChainRecord | undefined,
  tx: unknown,
): Promise<string | undefined> {
  if (chain?.followUps === undefined || (status !== "failed" && status !== "cancelled")) return undefined;
  const names = chain.followUps.map((followUp) => `${followUp.typeName} (${followUp.status})`);
  const started = `It has ${status === "failed" ? "failed" : "been cancelled"}, which started ${names.join(", then ")}.`;
  const open = chain.followUps.find((followUp) => followUp.status !== "completed");
  if (open === undefined) return started;
  const name = `"${open.typeName}"`;
  if (open.status !== "active") return `${started} ${name} has not completed, and those after it wait: retry it.`;
  const [job] = await store.state.getJobs([open.chainId], store.callOptions(tx));
  // A compensation that is scheduled for its next attempt has had one.
  if (job?.status !== "scheduled" || job.attempt > 0) return `${started} Each waits for the one before it.`;
  const leasedUntil = new Date(job.scheduledAt ?? 0).toISOString();
  return `${started} ${name} waits for the end of the attempt that was running, at the latest until its lease ends at ${leasedUntil}.`;
}

/** Of a job of a chain that was started because another one stopped: what it waits for, and why its chain exists. */
export interface FollowSentences {
  /** Undefined: it does not wait because of what it follows. */
  readonly reason: string | undefined;
  /** A sentence behind the reason. */
  readonly origin: string;
}

/** Undefined: its chain follows none. */
export async function followSentences(
  store: StoreAccess,
  { status, attempt, scheduledAt = 0, step }: JobRecord,
  chain: ChainRecord | undefined,
  tx: unknown,
): Promise<FollowSentences | undefined> {
  if (chain?.follows === undefined) return undefined;
  const [stopped] = await store.state.getChains([chain.follows], store.callOptions(tx));
  if (stopped === undefined) return undefined;
  const name = `chain ${stopped.id} ("${stopped.typeName}")`;
  const how = stopped.status === "failed" ? "failed" : "was cancelled";
  const followUps = stopped.followUps ?? [];
  const at = followUps.findIndex(({ chainId }) => chainId === chain.id);
  const work = followUps[at]?.kind === "when-stopped" ? "runs after" : "undoes a step of";
  const origin = `Its chain ${work} ${name}, which ${how}.`;
  const before = followUps.slice(0, Math.max(at, 0)).findLast((followUp) => followUp.status !== "completed");
  if (status === "blocked" && step === 1 && before !== undefined)
    return { origin, reason: `It waits until "${before.typeName}", chain ${before.chainId}, has completed.` };
  if (status !== "scheduled" || step > 1 || attempt > 0) return { origin, reason: undefined };
  const leasedUntil = new Date(scheduledAt).toISOString();
  return {
    origin,
    reason: `It waits for the end of the attempt that was running when ${name} stopped, at the latest until its lease ends at ${leasedUntil}.`,
  };
}
