/** Workers with a connection each. They run until the input of this process ends. */
import { createClient, createProcessors, createWorker, defineJobTypes } from "chainwright";
import { createPostgresStateAdapter } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import { Pool } from "pg";

export interface WorkersOrders {
  readonly url: string;
  readonly schema: string;
  readonly workers: number;
  readonly slots: number;
  /** Connections of each worker. */
  readonly connections: number;
}

const { url, schema, workers, slots, connections } = JSON.parse(process.argv[2] ?? "") as WorkersOrders;
const jobTypes = defineJobTypes<{ value: { entry: true; input: number; output: number } }>();

async function startWorker(): Promise<() => Promise<void>> {
  const pool = new Pool({ connectionString: url, max: connections });
  const stateAdapter = createPostgresStateAdapter({ driver: pg(pool), schema });
  // A pool of one connection is reported; here it is what is measured.
  const client = createClient({ stateAdapter, jobTypes, observers: [] });
  const processors = createProcessors({ client, jobTypes, processors: { value: async ({ job }) => job.input } });
  const worker = createWorker({ client, processors: [processors], concurrency: slots });
  await worker.start();
  return async () => {
    await worker.stop();
    await client.close();
    await stateAdapter.close();
    await pool.end();
  };
}

const stops = await Promise.all(Array.from({ length: workers }, startWorker));
process.stdout.write("started\n");
process.stdin.resume();
await new Promise((resolve) => process.stdin.once("end", resolve));
await Promise.all(stops.map((stop) => stop()));
