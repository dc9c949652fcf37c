import { now, percentile, type Servers } from "@chainwright/bench-measuring";
import { createClient, createProcessors, createWorker, defineJobTypes } from "chainwright";
import type { OpenStore } from "./store.ts";

const steadyTypes = defineJobTypes<{
  steady: { entry: true; input: { at: number; isMeasured: boolean }; output: { done: true } };
}>();

/** Latencies in milliseconds. */
export interface SteadyFigures extends Readonly<Record<"p50" | "p99" | "p999" | "slowest", number>> {}

export interface SteadyRequest {
  readonly row: string;
  readonly servers: Servers;
  readonly place: string;
}

export type SteadyClient = ReturnType<typeof createSteadyClient>;

export function createSteadyClient({ adapters }: OpenStore) {
  return createClient({ ...adapters, jobTypes: steadyTypes });
}

/** A worker that measures how long after its start each job begins. */
export function createSteadyWorker(client: SteadyClient) {
  const latencies: number[] = [];
  const processors = createProcessors({
    client,
    jobTypes: steadyTypes,
    processors: {
      steady: async ({ job }) => {
        if (job.input.isMeasured) latencies.push(now() - job.input.at);
        return { done: true };
      },
    },
  });
  const worker = createWorker({ client, processors: [processors] });
  return {
    start: () => worker.start(),
    async stop(): Promise<SteadyFigures> {
      await worker.stop();
      const [p50 = 0, p99 = 0, p999 = 0] = [0.5, 0.99, 0.999].map((share) => percentile(latencies, share));
      return { p50, p99, p999, slowest: latencies.reduce((most, latency) => Math.max(most, latency), 0) };
    },
  };
}
