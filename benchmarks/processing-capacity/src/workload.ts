import { createClient, createProcessors, createWorker, defineJobTypes, type Worker } from "chainwright";
import type { OpenRow } from "./row.ts";
import type { Point, Settings } from "./settings.ts";

/** What every job carries. */
export interface Work {
  readonly text: string;
  /** Steps of the chain after this one. */
  readonly stepsLeft: number;
}

interface Done {
  readonly done: true;
}

/** Three ways to end a step, one job type each. */
const jobTypes = defineJobTypes<{
  value: { entry: true; input: Work; output: Done; continueWith: "value" };
  atomic: { entry: true; input: Work; output: Done; continueWith: "atomic" };
  staged: { entry: true; input: Work; output: Done; continueWith: "staged" };
}>();

/** The type of a backlog; no worker handles it. */
const idleTypes = defineJobTypes<{ idle: { entry: true; input: Work; output: Done } }>();

export type Kind = "value" | "atomic" | "staged";

/** A client on a row, and workers that report each chain's end. */
export interface Workload {
  readonly input: Work;
  /** A tight loop of starts, one after the other. */
  startSingle(kind: Kind | "idle", count: number): Promise<void>;
  /** The same from so many callers at once. */
  startConcurrent(kind: Kind | "idle", count: number, callers: number): Promise<void>;
  /** Starts of a hundred. */
  startBatched(kind: Kind | "idle", count: number): Promise<void>;
  createWorker(): Worker;
  /** Called with each chain's id when its last handler ends. */
  onEnd: () => void;
  /** Called when a handler begins. */
  onBegin: (text: string) => void;
  close(): Promise<void>;
}

export function createWorkload(row: OpenRow, settings: Settings & Point): Workload {
  const { stateAdapter, notifyAdapter, workerNotifyAdapter } = row;
  const client = createBenchClient({ stateAdapter, notifyAdapter });
  const workerClient =
    workerNotifyAdapter === undefined
      ? client
      : createBenchClient({ stateAdapter, notifyAdapter: workerNotifyAdapter });
  const input: Work = { text: "x".repeat(settings.payloadBytes), stepsLeft: settings.steps - 1 };
  const workload: Workload = {
    input,
    onEnd: () => undefined,
    onBegin: () => undefined,
    ...startsOf(client, input),
    createWorker: () =>
      createWorker({ client: workerClient, processors: [processors], concurrency: settings.concurrency }),
    async close() {
      await workerClient.close();
      await client.close();
    },
  };
  const processors = createHandlers(workerClient, workload, settings.types);
  return workload;
}

type BenchClient = ReturnType<typeof createBenchClient>;

function createBenchClient(options: Pick<OpenRow, "stateAdapter" | "notifyAdapter">) {
  return createClient({ ...options, jobTypes: [jobTypes, idleTypes] });
}

function startsOf(
  client: BenchClient,
  input: Work,
): Pick<Workload, "startSingle" | "startConcurrent" | "startBatched"> {
  return {
    async startSingle(typeName, count) {
      for (let started = 0; started < count; started += 1) await client.startChain({ typeName, input });
    },
    async startConcurrent(typeName, count, callers) {
      let left = count;
      const call = async (): Promise<void> => {
        while (left > 0) {
          left -= 1;
          await client.startChain({ typeName, input });
        }
      };
      await Promise.all(Array.from({ length: callers }, call));
    },
    async startBatched(typeName, count) {
      for (let started = 0; started < count; started += 100) {
        await client.startChains({
          items: Array.from({ length: Math.min(100, count - started) }, () => ({ typeName, input })),
        });
      }
    },
  };
}

function createHandlers(client: BenchClient, workload: Workload, types: number) {
  const isLast = (work: Work): boolean => {
    workload.onBegin(work.text);
    if (work.stepsLeft === 0) workload.onEnd();
    return work.stepsLeft === 0;
  };
  const next = (work: Work): Work => ({ ...work, stepsLeft: work.stepsLeft - 1 });
  return createProcessors({
    client,
    jobTypes,
    processors: {
      value: async ({ job, continueWith }) =>
        isLast(job.input) ? { done: true } : continueWith({ typeName: "value", input: next(job.input) }),
      atomic: async ({ job, complete }) =>
        complete(async ({ continueWith }) =>
          isLast(job.input) ? { done: true } : continueWith({ typeName: "atomic", input: next(job.input) }),
        ),
      staged: async ({ job, prepare, complete }) => {
        await prepare({ mode: "staged" }, async () => undefined);
        return complete(async ({ continueWith }) =>
          isLast(job.input) ? { done: true } : continueWith({ typeName: "staged", input: next(job.input) }),
        );
      },
      ...manyTypes(types - 3),
    },
  });
}

/** Types that a worker handles and that never have a job; its claims name them nevertheless. */
function manyTypes(count: number): object {
  const handler = async (): Promise<Done> => ({ done: true });
  return Object.fromEntries(Array.from({ length: Math.max(0, count) }, (_, index) => [`other${index}`, handler]));
}
