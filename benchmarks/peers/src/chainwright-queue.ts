import {
  createClient,
  createProcessors,
  createWorker,
  defineJobTypes,
  type NotifyAdapter,
  type StateAdapter,
  type Processors,
} from "chainwright";
import { next, type Load, type Mode, type OnJob, type OpenContender, type Pace } from "./contender.ts";

const jobTypes = defineJobTypes<{
  value: { entry: true; input: Load; output: { done: true }; continueWith: "value" };
  atomic: { entry: true; input: Load; output: { done: true }; continueWith: "atomic" };
}>();
const idleTypes = defineJobTypes<{ idle: { entry: true; input: Load; output: { done: true } } }>();

interface Setting {
  readonly mode: Mode;
  /** The concurrency of each worker at the recommended pace; undefined: the default. */
  readonly recommended: readonly (number | undefined)[];
}

/** A client on the adapters and its workers, as a contender; `close` closes the client alone. */
export function openChainwright(
  { mode, recommended }: Setting,
  stateAdapter: StateAdapter,
  notifyAdapter: NotifyAdapter | undefined,
): OpenContender {
  const client = createClient({ stateAdapter, notifyAdapter, jobTypes: [jobTypes, idleTypes] });
  let report: OnJob = () => undefined;
  const working = createProcessors({
    client,
    jobTypes,
    processors: {
      value: async ({ job, continueWith }) => {
        report(job.input);
        return job.input.stepsLeft === 0 ? { done: true } : continueWith({ typeName: "value", input: next(job.input) });
      },
      atomic: async ({ job, complete }) =>
        complete(async ({ continueWith }) => {
          report(job.input);
          return job.input.stepsLeft === 0
            ? { done: true }
            : continueWith({ typeName: "atomic", input: next(job.input) });
        }),
    },
  });
  const idle = createProcessors({ client, jobTypes: idleTypes, processors: { idle: async () => ({ done: true }) } });
  const start = async (processors: Processors, pace: Pace) => {
    const workers = (pace === "recommended" ? recommended : [pace]).map((concurrency) =>
      createWorker({ client, processors: [processors], concurrency }),
    );
    await Promise.all(workers.map((worker) => worker.start()));
    return { stop: () => Promise.all(workers.map((worker) => worker.stop())) };
  };
  return {
    enqueue: (input) => client.startChain({ typeName: mode, input }),
    enqueueMany: (loads) => client.startChains({ items: loads.map((input) => ({ typeName: mode, input })) }),
    startWorker(pace, onJob) {
      report = onJob;
      return start(working, pace);
    },
    startIdleWorker: (pace) => start(idle, pace),
    async unsettled() {
      const counts = await stateAdapter.count({});
      return counts.reduce((sum, row) => (row.status === "completed" ? sum : sum + row.count), 0);
    },
    close: () => client.close(),
  };
}
