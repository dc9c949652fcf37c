import type { JobRecord } from "../../../src/model/record.ts";
import type { StateAdapter } from "../../../src/ports/state.ts";
import { allRows } from "../all-rows.ts";
import { count, type SagaLedger } from "./saga-ledger.ts";

/** What undoes the steps of one chain, by step: the jobs that completed. */
type Undone = ReadonlyMap<number, readonly JobRecord[]>;

/** What of N1, N2 and N4 does not hold at the end of a world. */
export async function judgeSagas(store: StateAdapter, ledger: SagaLedger): Promise<readonly string[]> {
  const jobs = await store.listJobs({ ...allRows, statuses: ["completed"] }, {});
  const chains = await store.listChains({ ...allRows, statuses: undefined }, {});
  const undoing = Map.groupBy(
    jobs.filter(({ typeName }) => typeName === "undo"),
    ({ input }) => read(input).chainId,
  );
  const apologies = Map.groupBy(
    jobs.filter(({ typeName }) => typeName === "sorry"),
    ({ input }) => read(input).chain?.id,
  );
  const violations: string[] = [];
  for (const { id, typeName, status } of chains) {
    if (typeName !== "saga") continue;
    count(ledger, status);
    const undone = Map.groupBy(undoing.get(id) ?? [], ({ input }) => read(input).step ?? 0);
    const sorry = apologies.get(id) ?? [];
    if (status === "completed") {
      if (undone.size + sorry.length > 0) violations.push(`N4: chain ${id} has completed and was undone`);
      continue;
    }
    if (sorry.length !== 1) violations.push(`N1: whenStopped of chain ${id} has run ${sorry.length} times`);
    for (const step of ledger.effects.get(id) ?? new Set<number>()) {
      const times = undone.get(step)?.length ?? 0;
      count(ledger, "undone");
      if (times !== 1) violations.push(`N1: step ${step} of chain ${id} was undone ${times} times`);
    }
    violations.push(...judgeOrder(id, undone, sorry));
  }
  return violations;
}

/** N2: the last step first, one after the other, and then `whenStopped`. */
function judgeOrder(id: string, undone: Undone, sorry: readonly JobRecord[]): readonly string[] {
  const order = [...undone].toSorted(([one], [other]) => other - one).flatMap(([, jobs]) => jobs);
  const ends = [...order, ...sorry].map(({ endedAt = 0 }) => endedAt);
  return ends.every((end, index) => index === 0 || (ends[index - 1] ?? 0) < end)
    ? []
    : [`N2: the steps of chain ${id} were undone in another order`];
}

interface Input {
  readonly chainId?: string;
  readonly step?: number;
  readonly chain?: { readonly id: string };
}

function read(input: string): Input {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the handlers of this world wrote it
  return JSON.parse(input) as Input;
}
