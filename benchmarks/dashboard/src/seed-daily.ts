import { setTimeout } from "node:timers/promises";
import {
  createClient,
  createProcessors,
  createWorker,
  defineJobTypes,
  defineLimits,
  type StateAdapter,
} from "chainwright";

interface Types {
  readonly "letter.post": { entry: true; input: { customer: string }; output: { posted: number } };
}

const jobTypes = defineJobTypes<Types>();
const limits = defineLimits({
  jobTypes,
  limits: { customer: { keys: { "letter.post": ({ customer }) => customer }, concurrency: 2 } },
});
const [schedules, customers, lettersOfEach] = [200, 1_000, 3];
/** Longer than any run. */
const pausedMs = 365 * 86_400_000;
const lookEveryMs = 100;

/** What a team uses every day beside its jobs: schedules, and a limit that is paused while jobs of many keys wait for it. */
export async function seedDaily(stateAdapter: StateAdapter): Promise<void> {
  const client = createClient({ stateAdapter, jobTypes, limits: [limits], observers: [] });
  if ((await client.listSchedules({ limit: 1 })).items.length > 0) return;
  for (let hour = 0; hour < schedules; hour += 1) {
    await client.createSchedule({
      id: `letters ${hour}`,
      typeName: "letter.post",
      input: { customer: `customer ${hour}` },
      cron: `${hour % 60} ${hour % 24} 1 1 *`,
    });
  }
  const processors = createProcessors({
    client,
    jobTypes,
    processors: { "letter.post": async () => ({ posted: 1 }) },
  });
  const worker = createWorker({ client, processors: [processors] });
  await worker.start();
  // The worker has declared the limit when this one has ended.
  await client.awaitChain(await client.startChain({ typeName: "letter.post", input: { customer: "first" } }), {
    timeoutMs: 60_000,
  });
  await client.pauseLimit({ limit: "customer", forMs: pausedMs });
  await client.startChains({
    items: Array.from({ length: customers * lettersOfEach }, (_, index) => ({
      typeName: "letter.post" as const,
      input: { customer: `customer ${index % customers}` },
    })),
  });
  while (((await client.countJobs())["letter.post"]?.limited ?? 0) < customers * lettersOfEach)
    await setTimeout(lookEveryMs);
  await worker.stop();
}
