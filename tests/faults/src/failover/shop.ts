import {
  createClient,
  createInProcessNotifyAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
  type ChainwrightEvent,
  type StateAdapter,
} from "chainwright";
import { createPostgresStateAdapter } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import { Pool } from "pg";
import type { PoolClient } from "pg";
import { callOnAndOn } from "./call-on-and-on.ts";
import type { Journal } from "./journal.ts";

const jobTypes = defineJobTypes<{
  value: { entry: true; input: number; output: number };
  atomic: { entry: true; input: number; output: number };
}>();

/** Jobs that another worker holds, so that claims pass over rows and remember where they found the first one. */
const heldJobs = 2_500;
export const holder = "another worker";
const leaseMs = 3_000;

type ShopClient = ReturnType<typeof createShopClient>;

function createShopClient(stateAdapter: StateAdapter<PoolClient>, note: (event: ChainwrightEvent) => void) {
  return createClient({ stateAdapter, notifyAdapter: createInProcessNotifyAdapter(), jobTypes, observers: [note] });
}

function processorsOf(client: ShopClient) {
  return createProcessors({
    client,
    jobTypes,
    processors: {
      value: { leaseMs, handler: async ({ job }) => job.input },
      atomic: {
        leaseMs,
        handler: async ({ job, complete }) =>
          complete(async ({ tx }) => {
            await tx.query("insert into effect (chain_id) values ($1)", [job.chainId]);
            return job.input;
          }),
      },
    },
  });
}

/** An application under load: callers that start chains one after the other, and a worker. */
export interface Shop {
  /** When the first job of each chain was claimed, by `performance.now()`. */
  readonly claimedAt: ReadonlyMap<string, number>;
  /** Lets the callers finish their current chain. */
  quieten(): Promise<void>;
  close(): Promise<void>;
}

export async function openShop(url: string, journal: Journal): Promise<Shop> {
  const pool = new Pool({ connectionString: url, max: 40, connectionTimeoutMillis: 2_000 });
  const stateAdapter = createPostgresStateAdapter({
    driver: pg(pool),
    callLimitMs: 2_000,
    transactionTimeoutMs: 4_000,
  });
  await stateAdapter.migrate();
  await pool.query("create table user_order (chain_id uuid not null)");
  await pool.query("create table effect (chain_id uuid not null)");

  const claimedAt = new Map<string, number>();
  const note = (event: ChainwrightEvent): void => {
    if (event.type === "job-claimed" && !claimedAt.has(event.chainId)) claimedAt.set(event.chainId, performance.now());
  };
  const client = createShopClient(stateAdapter, note);
  const worker = createWorker({ client, processors: [processorsOf(client)], concurrency: 20 });
  await client.startChains({
    items: Array.from({ length: heldJobs }, () => ({ typeName: "value", input: 0 }) as const),
  });
  const types = [{ typeName: "value", leaseMs: 600_000 }];
  await stateAdapter.exchange({ outcomes: [], claim: { workerId: holder, types, limit: heldJobs } }, {});
  await worker.start();

  const startValue = async (input: number): Promise<string> =>
    (await client.startChain({ typeName: "value", input })).id;
  const startWithOrder = async (input: number): Promise<string> => {
    let id: string | undefined;
    try {
      return await client.transaction(async (tx: PoolClient) => {
        ({ id } = await client.startChain({ tx, typeName: "atomic", input }));
        await tx.query("insert into user_order (chain_id) values ($1)", [id]);
        return id;
      });
    } catch (error) {
      journal.fail(error, id);
      throw error;
    }
  };
  const ending = (id: string): Promise<unknown> => client.awaitChain({ id }, { timeoutMs: 5_000 });
  const calling = callOnAndOn({ starts: [startValue, startWithOrder], ending, journal });

  return {
    claimedAt,
    quieten: calling.end,
    close: async () => {
      await worker.stop({ timeoutMs: 2_000 });
      await client.close();
      await stateAdapter.close();
      await pool.end();
    },
  };
}
