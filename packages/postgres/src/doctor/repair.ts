import type { CallOptions, RepairOutcome, RepairRequest, StoreFault } from "chainwright/adapter";
import type { Connection } from "../connect.ts";
import { isConflict } from "../errors.ts";
import { momentParameter } from "../store.ts";
import { correctCounts } from "./counts.ts";
import { stepsFor } from "./repairs.ts";
import type { Steps } from "./steps.ts";

/** How long a repair waits for a lock. It is short, because running work comes first. */
const lockTimeout = "500ms";

export async function repair<Tx>(
  store: Connection<Tx>,
  { faults, limit, timeMs }: RepairRequest,
  options: CallOptions<Tx>,
): Promise<readonly RepairOutcome[]> {
  const [first] = faults;
  if (first?.kind === "wrong-count") return orBusy(() => correctCounts(store, faults, timeMs), faults.map(busy));
  const outcomes: RepairOutcome[] = [];
  for (const fault of faults) outcomes.push(await orBusy(() => repairOne(store, fault, { limit, options }), "busy"));
  return outcomes;
}

const busy = (): RepairOutcome => "busy";

async function orBusy<T>(run: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (isConflict(error)) return otherwise;
    throw error;
  }
}

async function repairOne<Tx>(
  store: Connection<Tx>,
  fault: StoreFault,
  given: { readonly limit: number; readonly options: CallOptions<Tx> },
): Promise<RepairOutcome> {
  const { limit, options } = given;
  const steps = stepsFor({ schema: store.schema, fault, limit, now: momentParameter(options.now) });
  if (steps === undefined) return "left";
  let [repaired, times] = [0, 0];
  do {
    repaired = await transact(store, steps);
    times += 1;
    // More rows than the limit take several transactions.
  } while (fault.kind === "job-without-chain" && repaired === limit);
  return repaired > 0 || times > 1 ? "repaired" : "gone";
}

async function transact<Tx>({ transaction, run }: Connection<Tx>, steps: Steps): Promise<number> {
  return transaction(async (tx) => {
    await run(tx, { text: `set local lock_timeout = '${lockTimeout}'`, parameters: [], prepare: false });
    let repaired = 0;
    for (const { text, parameters } of steps) {
      repaired = (await run(tx, { text, parameters, prepare: false })).length;
    }
    return repaired;
  });
}
