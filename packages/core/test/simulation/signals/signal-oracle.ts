import type { JobRecord } from "../../../src/model/record.ts";
import type { SignalRecord } from "../../../src/model/signal.ts";
import type { StateAdapter } from "../../../src/ports/state.ts";
import { allRows } from "../all-rows.ts";
import type { SignalLedger } from "./signal-ledger.ts";

async function signalsOf(store: StateAdapter, chainId: string): Promise<readonly SignalRecord[]> {
  return await store.listSignals({ chainId, after: undefined, limit: 100_000 }, {});
}

/** E2: jobs that wait beside a signal that they would take. */
export async function sleepers(store: StateAdapter): Promise<readonly string[]> {
  const waiting = await store.listJobs({ ...allRows, statuses: ["waiting"] }, {});
  const found: string[] = [];
  for (const { id, chainId, typeName } of waiting) {
    const signals = await signalsOf(store, chainId);
    if (signals.some((signal) => signal.takenBy === undefined && signal.typeName === typeName))
      found.push(`E2: job ${id} waits beside a signal`);
  }
  return found;
}

/** What of E1 and of E4 to E9 does not hold at the end of a world. */
export async function judgeSignals(store: StateAdapter, ledger: SignalLedger): Promise<readonly string[]> {
  const jobs = await store.listJobs(allRows, {});
  const chains = Map.groupBy(jobs, ({ chainId }) => chainId);
  const violations: string[] = [];
  const onRecord = new Map<string, number>();
  for (const [chainId, steps] of chains) {
    const signals = await signalsOf(store, chainId);
    violations.push(...judgeChain(signals, steps));
    for (const { signalId = "" } of signals) onRecord.set(signalId, (onRecord.get(signalId) ?? 0) + 1);
    const ids = signals.flatMap(({ signalId }) => signalId ?? []);
    if (new Set(ids).size < ids.length) violations.push(`E5, E9: chain ${chainId} has a signal twice`);
  }
  for (const [id, told] of ledger.sent)
    if (told !== undefined && onRecord.get(id) !== 1) violations.push(`E1: signal ${id} is not on record once`);
  for (const id of ledger.undone) if (onRecord.has(id)) violations.push(`E7: signal ${id} is on record`);
  for (const [jobId, attempts] of ledger.received)
    if (new Set(attempts.map((ids) => JSON.stringify(ids))).size > 1)
      violations.push(`E6: attempts of job ${jobId} received ${JSON.stringify(attempts)}`);
  return violations;
}

/** E1 and E4: each taken signal was received by the job that took it, and earlier signals by earlier jobs. */
function judgeChain(signals: readonly SignalRecord[], steps: readonly JobRecord[]): readonly string[] {
  const violations: string[] = [];
  const stepOf = new Map(steps.map(({ id, step }) => [id, step]));
  let last = 0;
  let isUntaken = false;
  for (const { takenBy, position, chainId } of signals) {
    const step = takenBy === undefined ? undefined : (stepOf.get(takenBy) ?? 0);
    if (step === undefined) isUntaken = true;
    else if (isUntaken || step < last) violations.push(`E4: signal ${position} of ${chainId} was taken out of order`);
    last = step ?? last;
  }
  for (const { id, received = [] } of steps) {
    const own = signals
      .filter(({ takenBy }) => takenBy === id)
      .map(({ signalId, at }) => JSON.stringify([signalId, at]));
    const seen = received.map(({ signalId, at }) => JSON.stringify([signalId, at]));
    if (own.join() !== seen.join()) violations.push(`E1: job ${id} received ${seen.join()} and took ${own.join()}`);
  }
  return violations;
}
