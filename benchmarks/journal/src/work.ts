import { measure, type Figure } from "@chainwright/bench-measuring";
import {
  createClient,
  createInProcessNotifyAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
  type Observer,
  type StateAdapter,
} from "chainwright";

const jobTypes = defineJobTypes<{
  "mail.send": { entry: true; input: { to: string; text: string }; output: { sent: number } };
}>();
const startsOfBatch = 100;

/** What jobs are given: with the names and numbers of a row about 170 bytes, as in the spike that chose the format. */
export function inputOf(i: number, text = "a text of some words"): { readonly to: string; readonly text: string } {
  return { to: `customer-${i}@example.com`, text };
}

export type Client = ReturnType<typeof clientOf>;

export function clientOf(stateAdapter: StateAdapter, observer: Observer = () => {}) {
  return createClient({ stateAdapter, notifyAdapter: createInProcessNotifyAdapter(), jobTypes, observers: [observer] });
}

/** Runs so many calls, so many at a time. */
export async function atOnce(count: number, callers: number, call: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const run = async (): Promise<void> => {
    while (next < count) await call(next++);
  };
  await Promise.all(Array.from({ length: callers }, run));
}

/** Starts by so many callers, each of which waits for its last one. */
export async function measureStarts(stateAdapter: StateAdapter, count: number, callers: number): Promise<Figure> {
  const client = clientOf(stateAdapter);
  const start = (i: number) => client.startChain({ typeName: "mail.send", input: inputOf(i) });
  await atOnce(Math.ceil(count / 5), callers, start);
  const figure = await measure(count, noServer, () => atOnce(count, callers, start));
  await client.close();
  return figure;
}

/** Jobs that return a value, from their start to their end, by a worker with 100 slots. */
export async function measureValue(stateAdapter: StateAdapter, count: number): Promise<Figure> {
  let left = 0;
  let ended = Promise.withResolvers<void>();
  const client = clientOf(stateAdapter, ({ type }) => {
    if (type !== "chain-completed") return;
    left -= 1;
    if (left === 0) ended.resolve();
  });
  const processors = createProcessors({
    client,
    jobTypes,
    processors: { "mail.send": async ({ job }) => ({ sent: job.input.to.length }) },
  });
  const worker = createWorker({ client, processors: [processors], concurrency: 100 });
  const drain = async (jobs: number): Promise<void> => {
    [left, ended] = [jobs, Promise.withResolvers<void>()];
    await startMany(client, jobs);
    await ended.promise;
  };
  await worker.start();
  await drain(Math.ceil(count / 5));
  const figure = await measure(count, noServer, () => drain(count));
  await worker.stop();
  await client.close();
  return figure;
}

/** Starts in calls of a hundred. */
export async function startMany(client: Client, count: number, text?: string): Promise<void> {
  for (let i = 0; i < count; i += startsOfBatch) {
    const items = Array.from({ length: Math.min(startsOfBatch, count - i) }, (_, at) => ({
      typeName: "mail.send" as const,
      input: inputOf(i + at, text),
    }));
    await client.startChains({ items });
  }
}

export const noServer = (): undefined => undefined;
