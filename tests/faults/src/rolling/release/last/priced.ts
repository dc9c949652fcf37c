import { createClient, createProcessors } from "chainwright";
import { journalEvents } from "../journal.ts";
import type { RollingProcess } from "../open-process.ts";
import { plannedChain } from "../planned-chain.ts";
import { createRecord } from "../record.ts";
import { sharedJobTypes } from "../shared-job-types.ts";
import { pricedJobTypes } from "./priced-job-types.ts";

export type PricedClient = ReturnType<typeof openPricedClient>;

export function openPricedClient({ store: { stateAdapter, notifyAdapter }, journal }: RollingProcess) {
  return createClient({
    stateAdapter,
    notifyAdapter,
    jobTypes: [sharedJobTypes, pricedJobTypes],
    observers: [journalEvents(journal)],
  });
}

export async function startPriced(rolling: RollingProcess, client: PricedClient): Promise<void> {
  await plannedChain(rolling, 2, async (id, { delayMs, number }) => {
    const blockers = [{ typeName: "part", input: { delayMs } }] as const;
    await client.startChain({ id, typeName: "priced", input: { delayMs, euros: number }, blockers });
  });
}

export function pricedProcessors(rolling: RollingProcess, client: PricedClient) {
  const record = createRecord(rolling);
  return createProcessors({
    client,
    jobTypes: pricedJobTypes,
    processors: {
      priced: ({ job, complete }) =>
        complete(async ({ tx, continueWith }) => {
          await record(tx, job, { wrong: wrongInput(job.input) });
          return continueWith({ typeName: "priced.end", input: job.input });
        }),
      "priced.end": ({ job, complete }) =>
        complete(async ({ tx }) => {
          await record(tx, job, { wrong: wrongInput(job.input) });
          return job.input.euros;
        }),
    },
  });
}

/** Version 2 has cents instead. */
function wrongInput(input: object): string | null {
  return "euros" in input && !("cents" in input) ? null : `an input that it cannot read: ${JSON.stringify(input)}`;
}
