import { setTimeout as delay } from "node:timers/promises";
import { startPostgresCluster } from "@chainwright/backends/postgres-cluster";
import type { PostgresCluster, Standby } from "@chainwright/backends/postgres-cluster";
import { createJournal } from "./journal.ts";
import type { Journal } from "./journal.ts";
import { judge } from "./judge.ts";
import type { Verdict } from "./judge.ts";
import { openShop } from "./shop.ts";
import type { Shop } from "./shop.ts";

/** How the primary is lost, and what replaces it. */
export interface FailoverKind {
  readonly name: string;
  readonly mode: "synchronous" | "asynchronous";
  /** Removes the primary; resolves with the standby to promote. */
  readonly lose: (cluster: PostgresCluster) => Promise<Standby>;
}

/** The time until an operator, or Patroni, notices. */
const noticeMs = 1_000;

export const failoverKinds: readonly FailoverKind[] = [
  {
    name: "immediate stop",
    mode: "synchronous",
    lose: async ({ primary, mostAdvanced }) => {
      await primary.server.kill();
      return mostAdvanced();
    },
  },
  {
    name: "lagging standby promoted",
    mode: "asynchronous",
    lose: async ({ primary, standbys }) => {
      const lagging = standbys.at(-1);
      if (lagging === undefined) throw new TypeError("a cluster has standbys");
      lagging.holdBack();
      await delay(noticeMs);
      await primary.server.kill();
      return lagging;
    },
  },
  {
    name: "primary paused",
    mode: "synchronous",
    lose: async ({ primary, mostAdvanced }) => {
      await primary.server.pause();
      await delay(noticeMs);
      return mostAdvanced();
    },
  },
  {
    name: "partition",
    mode: "synchronous",
    lose: async ({ partition, mostAdvanced }) => {
      partition(true);
      await delay(noticeMs);
      return mostAdvanced();
    },
  },
];

export interface RoundReport extends Verdict {
  readonly kind: FailoverKind;
  readonly promotedAfterMs: number;
  readonly firstAcknowledgedAfterMs: number;
  /** How long a chain waited for its claim at most after its acknowledgement: before the failover, and once the worker was back. */
  readonly hiddenBeforeMs: number;
  readonly hiddenAfterMs: number;
}

/** How long the load runs before the failover, and once the worker is back. */
const [beforeMs, afterMs] = [1_500, 2_000];
/** Chains started this shortly before the failover may be claimed only after it. */
const settlingMs = 500;

export async function runFailoverRound(kind: FailoverKind): Promise<RoundReport> {
  const cluster = await startPostgresCluster({ standbys: 2, settings: { fsync: "off", max_connections: "200" } });
  const journal = createJournal();
  try {
    if (kind.mode === "synchronous") await cluster.waitFor("ANY 1 (node_b, node_c)");
    const shop = await openShop(cluster.url, journal);
    await delay(beforeMs);

    const lostAt = performance.now();
    const next = await kind.lose(cluster);
    await cluster.promote(next);
    // Fenced: otherwise it would continue as a second primary.
    await cluster.primary.server.kill();
    cluster.partition(false);
    const promotedAt = performance.now();
    cluster.lead(next);

    const firstAt = await firstAfter(promotedAt, () => journal.acknowledgedAt);
    const backAt = await firstAfter(promotedAt, () => shop.claimedAt);
    await delay(afterMs);
    await shop.quieten();
    const verdict = await judge(next.server.url, journal);
    await shop.close();
    return {
      kind,
      ...verdict,
      promotedAfterMs: promotedAt - lostAt,
      firstAcknowledgedAfterMs: firstAt - promotedAt,
      hiddenBeforeMs: longestHidden(journal, shop, { from: 0, until: lostAt - settlingMs }),
      hiddenAfterMs: longestHidden(journal, shop, { from: Math.max(firstAt, backAt), until: Infinity }),
    };
  } finally {
    await cluster.stop();
  }
}

/** Resolves with the time of the first one after a given time. */
async function firstAfter(moment: number, moments: () => ReadonlyMap<string, number>): Promise<number> {
  for (const until = Date.now() + 30_000; Date.now() < until; await delay(5)) {
    for (const at of moments().values()) if (at > moment) return at;
  }
  throw new Error("nothing works 30 s after the failover");
}

interface Span {
  readonly from: number;
  readonly until: number;
}

function longestHidden({ acknowledgedAt }: Journal, { claimedAt }: Shop, { from, until }: Span): number {
  let longest = 0;
  for (const [id, at] of acknowledgedAt) {
    if (at > from && at < until) longest = Math.max(longest, (claimedAt.get(id) ?? Infinity) - at);
  }
  return longest;
}
