import { ChainwrightError } from "../model/error.ts";
import { checkDuration, checkInteger } from "../checks/check-options.ts";
import type { Engine } from "../engine/engine.ts";
import { shortestLeaseMs } from "../worker/attempt-options.ts";
import { claimTypes } from "../worker/claim-types.ts";
import { createClaimLoop, runClaimLoop, type ClaimLoop } from "./claim-loop.ts";
import type { DealtLeases } from "./dealt-leases.ts";
import { exchangeOnce } from "./exchange-once.ts";
import type { Policies } from "./remote-options.ts";
import type { Served } from "./served.ts";
import type { RemoteClaim } from "./types.ts";

const longestWaitMs = 300_000;
const mostJobs = 1_000;

/** What the calls of a remote share. */
export interface RemoteState {
  readonly engine: Engine;
  readonly id: string;
  readonly policies: Policies;
  readonly served: Served;
  readonly dealt: DealtLeases;
  /** Whether jobs under limits wait, as the store said with the last heartbeat. */
  limitedWait: boolean;
  /** Tells the store what is served now. */
  tellServed: () => void;
  readonly loops: Map<string, ClaimLoop>;
  readonly running: Set<Promise<void>>;
  readonly pollIntervalMs: number;
  isOpen: boolean;
}

export function closed(): ChainwrightError {
  return new ChainwrightError("closed", "the remote has not been started, or has been stopped.");
}

export function checkClaim(
  { engine, policies }: RemoteState,
  { typeNames, limit, leaseMs, waitMs }: RemoteClaim,
): void {
  checkInteger(limit, "limit", { min: 1, max: mostJobs });
  checkDuration(leaseMs, "leaseMs", shortestLeaseMs);
  checkDuration(waitMs, "waitMs", 0, longestWaitMs);
  for (const typeName of typeNames) {
    engine.types.assertKnown(typeName);
    if (policies.typeNames === undefined || policies.typeNames.includes(typeName)) continue;
    const message = `"${typeName}" has its handlers here: declare it with elsewhere: true for workers elsewhere.`;
    throw new ChainwrightError("unknown-job-type", message);
  }
}

/** The loop for a claim; undefined: that of outcomes without one. */
export function loopFor(state: RemoteState, claim: RemoteClaim | undefined): ClaimLoop {
  const { engine, policies, loops, served, dealt } = state;
  const { typeNames = [], pools = [null], leaseMs = 0 } = claim ?? {};
  const names = [...new Set(typeNames)].sort();
  const key = JSON.stringify([names, pools, leaseMs]);
  const known = loops.get(key);
  if (known !== undefined) return known;
  const types = names.map((typeName) => ({ typeName, leaseMs: Math.min(leaseMs, policies.of(typeName).leaseMs) }));
  const claimed = claimTypes(types, engine.types.versions, { pools, defaultLeaseMs: leaseMs });
  if (served.note(names, pools)) state.tellServed();
  const { id: workerId, pollIntervalMs } = state;
  const loop = createClaimLoop({ engine, workerId, policies, claimed, dealt, pollIntervalMs });
  if (state.limitedWait) loop.limitedJobs.ask()(true);
  loops.set(key, loop);
  const onOver = (): void => void loops.delete(key);
  const running = runClaimLoop(loop, { exchangeOnce, onOver }).finally(() => state.running.delete(running));
  state.running.add(running);
  loop.lookOrder.greet();
  return loop;
}
