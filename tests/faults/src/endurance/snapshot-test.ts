import { setTimeout as delay } from "node:timers/promises";
import { startPostgres } from "@chainwright/backends";
import { createPostgresStateAdapter } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import { Client, Pool } from "pg";
import { fillHistory } from "./history.ts";
import { openLoad } from "./load.ts";
import type { Load } from "./load.ts";
import { createStopwatch } from "./stopwatch.ts";
import type { Stopwatch } from "./stopwatch.ts";
import { figuresOf } from "./store-figures.ts";
import { exceededBy, lineOf } from "./window.ts";
import type { Window } from "./window.ts";

export interface SnapshotOptions {
  readonly heldMs: number;
  readonly windowMs: number;
  /** Jobs a second. */
  readonly rate: number;
  /** Jobs started at once after the first window, so that a short test has many dead rows too. */
  readonly rush: number;
  readonly historyRows: number;
  /** How long vacuum may take to remove the dead rows once the snapshot is gone. */
  readonly releasedMs: number;
  /** Whether the limits of times apply as well. */
  readonly isTimed: boolean;
  readonly dataDir: string | undefined;
  readonly log: (line: string) => void;
}

const short = { heldMs: 15_000, windowMs: 5_000, rate: 300, rush: 20_000, historyRows: 20_000, releasedMs: 30_000 };
const full = {
  heldMs: 3_600_000,
  windowMs: 60_000,
  rate: 1_000,
  rush: 0,
  historyRows: 10_000_000,
  releasedMs: 300_000,
};
export const snapshotLengths = { short: { ...short, isTimed: false }, full: { ...full, isTimed: true } } as const;

/** Returns a sentence for each limit that is exceeded. */
export async function runSnapshotTest(options: SnapshotOptions): Promise<readonly string[]> {
  const { rate, historyRows, dataDir, isTimed, log } = options;
  const server = await startPostgres({
    ...(dataDir !== undefined && { dataDir }),
    settings: {
      fsync: "off",
      shared_buffers: isTimed ? "512MB" : "128MB",
      max_wal_size: "4GB",
      autovacuum_naptime: isTimed ? "15s" : "1s",
    },
  });
  const pool = new Pool({ connectionString: server.url, max: 20 });
  const [watcher, holder] = [
    new Client({ connectionString: server.url }),
    new Client({ connectionString: server.url }),
  ];
  try {
    const stateAdapter = createPostgresStateAdapter({ driver: pg(pool) });
    await stateAdapter.migrate();
    await fillHistory(pool, historyRows, log);
    await Promise.all([watcher.connect(), holder.connect()]);
    const stopwatch = createStopwatch();
    const load = await openLoad({ stateAdapter, rate, stopwatch });
    const windows = await watchWindows({ load, stopwatch, watcher, holder, options });
    await load.close();
    await stateAdapter.close();
    return exceededBy(windows, options);
  } finally {
    await Promise.allSettled([watcher.end(), holder.end(), pool.end()]);
    await server.stop();
  }
}

interface Watch {
  readonly load: Load;
  readonly stopwatch: Stopwatch;
  readonly watcher: Client;
  readonly holder: Client;
  readonly options: SnapshotOptions;
}

async function watchWindows(watch: Watch) {
  const { load, holder, options } = watch;
  const before = await nextWindow(watch, "before", undefined);
  await holder.query("begin isolation level repeatable read");
  await holder.query("select 1");
  const held: Window[] = [];
  for (let ms = options.windowMs; ms <= options.heldMs; ms += options.windowMs) {
    held.push(await nextWindow(watch, `held for ${ms / 1_000} s`, held.at(-1) ?? before));
    if (held.length === 1) await load.rush(options.rush);
  }
  await holder.query("commit");
  const released: Window[] = [];
  for (let ms = options.windowMs; ms <= options.releasedMs; ms += options.windowMs) {
    released.push(await nextWindow(watch, `released for ${ms / 1_000} s`, released.at(-1) ?? held.at(-1)));
    if (!options.isTimed && exceededBy({ before, held, released }, options).length === 0) break;
  }
  return { before, held, released };
}

async function nextWindow(
  { load, stopwatch, watcher, options: { windowMs, log } }: Watch,
  name: string,
  last: Window | undefined,
): Promise<Window> {
  const from = await figuresOf(watcher);
  stopwatch.take();
  const ended = load.ended();
  await delay(windowMs);
  const window = {
    spreads: stopwatch.take(),
    jobs: load.ended() - ended,
    open: load.started() - load.ended(),
    from: last?.figures ?? from,
    figures: await figuresOf(watcher),
  };
  log(lineOf(name, window));
  return window;
}
