import { createClient, createProcessors } from "chainwright";
import { asked, journalEvents } from "../journal.ts";
import type { RollingProcess } from "../open-process.ts";
import { plannedChain } from "../planned-chain.ts";
import { createRecord } from "../record.ts";
import { sharedJobTypes } from "../shared-job-types.ts";
import { pricedJobTypes, pricedVersions } from "./priced-job-types.ts";

export type PricedClient = ReturnType<typeof openPricedClient>;

export function openPricedClient({ store: { stateAdapter, notifyAdapter }, journal }: RollingProcess) {
  return createClient({
    stateAdapter,
    notifyAdapter,
    jobTypes: [sharedJobTypes, pricedJobTypes],
    versions: [pricedVersions],
    observers: [journalEvents(journal)],
  });
}

/** The first attempt of every fifth one fails, so that jobs of version 2 are put back too. */
const isToFail = (cents: number): boolean => cents % 500 === 0;

export async function startPriced(rolling: RollingProcess, client: PricedClient): Promise<void> {
  await plannedChain(rolling, 2, async (id, { delayMs, number }) => {
    const blockers = [{ typeName: "part", input: { delayMs } }] as const;
    await client.startChain({ id, typeName: "priced", input: { delayMs, cents: 100 * number }, blockers });
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
      "priced.end": async ({ job, complete }) => {
        if (job.attempt === 1 && isToFail(job.input.cents)) throw new Error(asked);
        return complete(async ({ tx }) => {
          await record(tx, job, { asked: isToFail(job.input.cents) ? 1 : 0, wrong: wrongInput(job.input) });
          return job.input.cents;
        });
      },
    },
  });
}

/** Each version is lifted. */
function wrongInput(input: { readonly cents: number }): string | null {
  const isRight = !("euros" in input) && input.cents % 100 === 0;
  return isRight ? null : `an input that was not lifted: ${JSON.stringify(input)}`;
}
