/**
 * What the HTTP gateway costs, measured by a load client in another process, beside a bare HTTP server: `npm run bench:gateway`, and
 * with `--postgres <url>` on Postgres instead of SQLite with `full` durability. `--smoke` runs a fiftieth.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createApi, type Api } from "./api.ts";
import { batched, drain, lifecycles, park, starts, wakes } from "./rounds.ts";
import { startBareServer, startGateway, type MeasuredServer } from "./server.ts";

const { values } = parseArgs({ options: { postgres: { type: "string" }, smoke: { type: "boolean", default: false } } });
const jobs = values.smoke ? 200 : 10_000;
const mostParked = values.smoke ? 50 : 1_000;
const folder = mkdtempSync(join(tmpdir(), "chainwright-gateway-"));
const gateway = await startGateway(values.postgres ?? join(folder, "jobs.db"));
const bare = await startBareServer();
const api = createApi(gateway);
const bareApi = createApi(bare);

interface Row {
  readonly what: string;
  readonly target: number;
  readonly run: (api: Api) => Promise<number>;
  /** Whether a bare server can answer it. */
  readonly hasFloor: boolean;
}

const rows: readonly Row[] = [
  { what: "starts, 1 caller", target: 3_400, run: (to) => starts(to, jobs, 1), hasFloor: true },
  { what: "starts, 10 callers", target: 6_500, run: (to) => starts(to, jobs, 10), hasFloor: true },
  { what: "starts, 50 callers", target: 12_000, run: (to) => starts(to, jobs, 50), hasFloor: true },
  {
    what: "lifecycles, 50 callers, exchanges of 32",
    target: 11_000,
    run: (to) => batched(to, jobs, 50),
    hasFloor: false,
  },
  { what: "lifecycles, 50 callers, one by one", target: 4_000, run: (to) => lifecycles(to, jobs, 50), hasFloor: false },
];

try {
  await warmUp();
  for (const row of rows) await report(row);
  await reportWakes();
  await reportParked(gateway);
} finally {
  for (const each of [api, bareApi]) each.close();
  for (const each of [gateway, bare]) await each.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** So that no row pays for what the compiler learns. */
async function warmUp(): Promise<void> {
  await api.exchange({ claim: { types: ["bench.run"], limit: 1, leaseMs: 1_000 } });
  for (const to of [api, bareApi]) await starts(to, jobs / 5, 10);
  await drain(api);
  await lifecycles(api, jobs / 5, 10);
}

async function report({ what, target, run, hasFloor }: Row): Promise<void> {
  const own = await measure(gateway, () => run(api));
  await drain(api);
  const floor = hasFloor ? `; bare server: ${shown(await measure(bare, () => run(bareApi)))}` : "";
  console.log(`${what}: ${shown(own)} (target ${target})${floor}; load ${load()}`);
}

interface Measured {
  readonly perSecond: number;
  /** Microseconds of CPU a job. */
  readonly server: number;
  readonly client: number;
}

async function measure({ usage }: MeasuredServer, run: () => Promise<number>): Promise<Measured> {
  const before = await usage();
  const own = process.cpuUsage();
  const perSecond = await run();
  const { user, system } = process.cpuUsage(own);
  const after = await usage();
  return { perSecond, server: ((after.cpuMs - before.cpuMs) / jobs) * 1_000, client: (user + system) / jobs };
}

function shown({ perSecond, server, client }: Measured): string {
  return `${perSecond.toFixed(0)}/s, CPU ${server.toFixed(0)} us a job and ${client.toFixed(0)} us of the client`;
}

async function reportWakes(): Promise<void> {
  const times = await wakes(api, values.smoke ? 20 : 200);
  const at = (share: number): string => (times[Math.floor(times.length * share)] ?? 0).toFixed(1);
  console.log(`idle wake: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms (target p50 5 ms); load ${load()}`);
}

async function reportParked({ usage }: MeasuredServer): Promise<void> {
  const empty = await usage();
  const parked = await park(api, mostParked);
  for (let now = await usage(); now.parked < mostParked; now = await usage()) await pause(50);
  // The last of them have looked.
  await pause(500);
  const before = await usage();
  await pause(values.smoke ? 500 : 10_000);
  const after = await usage();
  console.log(
    `${mostParked} parked: ${(after.rssMb - empty.rssMb).toFixed(0)} MB more, ${after.exchanges - before.exchanges} statements in 10 s (target below 100 MB, none); load ${load()}`,
  );
  for (const each of parked) each.catch(() => undefined);
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

function load(): string {
  return loadavg()[0]?.toFixed(1) ?? "";
}
