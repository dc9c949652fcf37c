import { createProcessClient, type ProcessAdapters } from "./client.ts";
import type { Orders } from "./job-types.ts";
import { createPassPoint, withKillPoints } from "./kill-points.ts";
import { startOrders, work } from "./work.ts";

/**
 * The whole program of a process that `processConformance` starts: a worker, or a starter of chains, on the store that the suite
 * names. The suite kills it.
 *
 * @example
 * // store-process.ts, the `program` of processConformance
 * import { runConformanceProcess } from "@chainwright/conformance";
 *
 * await runConformanceProcess(async (path) => ({
 *   stateAdapter: createSqliteStateAdapter({ driver: nodeSqlite(path) }),
 * }));
 */
export async function runConformanceProcess(open: (store: string) => Promise<ProcessAdapters>): Promise<void> {
  const given: unknown = JSON.parse(process.argv[2] ?? "null");
  if (!isOrders(given)) throw new TypeError("processConformance must start this program; got no orders.");
  const { store, role, orders, killedAt } = given;
  const { stateAdapter, notifyAdapter } = await open(store);
  const pass = createPassPoint(killedAt);
  const client = createProcessClient({ stateAdapter: withKillPoints(stateAdapter, role, pass), notifyAdapter });
  await (role === "worker" ? work(client, pass) : startOrders(client, orders));
  await client.close();
  await notifyAdapter?.close();
  await stateAdapter.close();
  // The input of a starter is still open.
  process.exit(0);
}

function isOrders(value: unknown): value is Orders {
  return typeof value === "object" && value !== null && "store" in value && "role" in value;
}
