import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "@chainwright/backends";
import type { Server } from "@chainwright/backends";
import type { SmallDisk } from "@chainwright/backends/small-disk";
import { judge } from "../oracle/judge.ts";
import type { Verdict } from "../oracle/judge.ts";
import type { Examiner, StorePlace } from "../store/open-store.ts";
import { examineStore, prepareStore } from "../store/place.ts";
import { attackStarters, attackWorkers } from "./attack-workers.ts";
import { keepCalm } from "./calm.ts";
import { lastWordsIn } from "./children.ts";
import type { Against } from "./children.ts";
import { doDeeds } from "./do-deeds.ts";
import { lookAround } from "./look-around.ts";
import type { Attack, Scale } from "./plan.ts";
import { quieten } from "./quieten.ts";
import { createChance } from "./random.ts";
import { openRoads } from "./roads.ts";
import { createTally } from "./tally.ts";
import type { Tally } from "./tally.ts";
import { watch } from "./watch.ts";
import { createWeather } from "./weather.ts";

export type BackendName = "postgres" | "better-sqlite3" | "node:sqlite";

export interface AttackOptions {
  readonly backend: BackendName;
  readonly scale: Scale;
  readonly seed: number;
  readonly against: Against;
  /** The disk of the store, which is full from time to time. */
  readonly disk?: SmallDisk | undefined;
  /** Called with each line of the progress report. */
  readonly log: (line: string) => void;
}

export interface AttackReport {
  readonly tally: Tally;
  readonly verdict: Verdict;
}

/** Attacks a new store, lets workers finish the open chains, and checks every rule. */
export async function runAttack(options: AttackOptions): Promise<AttackReport> {
  const { backend, scale, seed, against, disk, log } = options;
  const folder = mkdtempSync(join(tmpdir(), "chainwright-faults-"));
  const server = backend === "postgres" ? await startServer(disk) : undefined;
  const place: StorePlace =
    backend === "postgres"
      ? { kind: "postgres", url: server?.url ?? "", schema: "faults", poolSize: 5, library: "pg" }
      : { kind: "sqlite", path: join(disk?.folder ?? folder, "jobs.db"), library: backend };
  await prepareStore(place);
  const examiner = await examineStore(place);
  const tally = createTally();
  const weather = createWeather(tally, scale.leaseMs);
  const roads = await openRoads(place, weather, scale);
  const attack: Attack = {
    scale,
    place,
    roads: roads.all,
    weather,
    server,
    disk,
    examiner,
    chance: createChance(seed),
    against,
    tally,
    folder,
    chains: 0,
    over: false,
    children: new Set(),
    brokenOnTheWay: new Map(),
    starterJournals: [],
  };
  let isOver = false;
  try {
    const lanes = Array.from({ length: scale.processes }, (_, lane) => attackWorkers(attack, lane));
    const looks = lookAround(attack, () => isOver);
    await Promise.all([watch(attack, log), attackStarters(attack), doDeeds(attack), ...lanes]);
    log("the attack is over; workers finish what is left");
    const rests = await quieten(attack, Number(process.env["QUIET"] ?? 180_000));
    log(rests ? "now processes work in peace" : `work is left that no one finishes: ${await leftOpen(examiner)}`);
    const calm = await keepCalm(attack);
    isOver = true;
    await looks;
    const verdict = await judge(attack, calm, log);
    if (Object.values(verdict.violations).some((count) => count > 0)) {
      log(`the last output of the processes:\n${lastWordsIn(folder)}`);
    }
    return { tally, verdict };
  } finally {
    isOver = true;
    attack.over = true;
    for (const child of attack.children) child.process.kill("SIGKILL");
    await roads.close();
    await examiner.close();
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function leftOpen(examiner: Examiner): Promise<string> {
  const rows = await examiner.rows(
    "select type, status, count(*) from fault_job where status in ('open', 'blocked') group by type, status order by type",
  );
  return rows.map(([type, status, count]) => `${String(count)} ${String(type)} ${String(status)}`).join(", ");
}

function startServer(disk: SmallDisk | undefined): Promise<Server> {
  const settings = { max_connections: "200" };
  if (disk === undefined) return startPostgres({ settings });
  // A log that is restarted before it fills the disk by itself.
  return startPostgres({ dataDir: join(disk.folder, "postgres"), settings: { ...settings, max_wal_size: "64MB" } });
}
