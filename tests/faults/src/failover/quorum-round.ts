import { setTimeout as delay } from "node:timers/promises";
import { startPostgresCluster } from "@chainwright/backends/postgres-cluster";
import { Client } from "pg";
import { createJournal } from "./journal.ts";
import { judge } from "./judge.ts";
import type { Verdict } from "./judge.ts";
import { openShop } from "./shop.ts";

export interface QuorumReport extends Verdict {
  /** Commits that waited for a standby and were cancelled: each is only on the primary. */
  readonly cancelled: number;
  /** Acknowledged while no standby could have confirmed anything. */
  readonly falselyAcknowledged: number;
}

/** The longest time of a commit that a standby confirmed before it was paused. */
const settlingMs = 500;

/** Every standby is down for a while, and commits that wait for one are cancelled: none of them may be reported as committed. */
export async function runQuorumRound(goneMs: number): Promise<QuorumReport> {
  const cluster = await startPostgresCluster({ standbys: 2, settings: { fsync: "off", max_connections: "300" } });
  const journal = createJournal();
  const control = new Client({ connectionString: cluster.primary.server.url });
  control.on("error", () => undefined);
  try {
    await control.connect();
    await cluster.waitFor("ANY 1 (node_b, node_c)");
    const shop = await openShop(cluster.url, journal);
    await delay(1_500);
    for (const { server } of cluster.standbys) await server.pause();
    await delay(settlingMs);
    const before = journal.acknowledged.size;
    let cancelled = 0;
    for (const until = Date.now() + goneMs; Date.now() < until; await delay(250)) {
      const { rowCount } = await control.query(
        "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'",
      );
      cancelled += rowCount ?? 0;
    }
    const falselyAcknowledged = journal.acknowledged.size - before;
    for (const { server } of cluster.standbys) await server.resume();
    await delay(2_000);
    await shop.quieten();
    const verdict = await judge(cluster.primary.server.url, journal);
    await shop.close();
    return { ...verdict, cancelled, falselyAcknowledged };
  } finally {
    await control.end();
    await cluster.stop();
  }
}
