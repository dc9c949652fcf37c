/**
 * What the HTTP gateway costs, measured by a load client in another process: `npm run bench:gateway`, and with `--postgres <url>` on
 * Postgres instead of SQLite with `full` durability. `--smoke` runs a hundredth.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createApi } from "./api.ts";
import { batched, drain, lifecycles, park, starts, wakes } from "./rounds.ts";
import { startServer, type MeasuredServer } from "./server.ts";

const { values } = parseArgs({ options: { postgres: { type: "string" }, smoke: { type: "boolean", default: false } } });
const jobs = values.smoke ? 200 : 10_000;
const mostParked = values.smoke ? 50 : 1_000;
const folder = mkdtempSync(join(tmpdir(), "chainwright-gateway-"));
const server = await startServer(values.postgres ?? join(folder, "jobs.db"));
const api = createApi(server);

interface Row {
  readonly what: string;
  readonly target: number;
  readonly run: () => Promise<number>;
}

const rows: readonly Row[] = [
  { what: "starts, 1 caller", target: 3_400, run: () => starts(api, jobs, 1) },
  { what: "starts, 10 callers", target: 6_500, run: () => starts(api, jobs, 10) },
  { what: "starts, 50 callers", target: 12_000, run: () => starts(api, jobs, 50) },
  { what: "lifecycles, 50 callers, exchanges of 32", target: 11_000, run: () => batched(api, jobs, 50) },
  { what: "lifecycles, 50 callers, one by one", target: 4_000, run: () => lifecycles(api, jobs, 50) },
];

try {
  await api.exchange({ claim: { types: ["bench.run"], limit: 1, leaseMs: 1_000 } });
  for (const row of rows) await report(row);
  await reportWakes();
  await reportParked(server);
} finally {
  api.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function report({ what, target, run }: Row): Promise<void> {
  const before = await server.usage();
  const own = process.cpuUsage();
  const perSecond = await run();
  const { user, system } = process.cpuUsage(own);
  const after = await server.usage();
  await drain(api);
  const cpu = ((after.cpuMs - before.cpuMs) / jobs) * 1_000;
  const client = (user + system) / jobs;
  console.log(
    `${what}: ${perSecond.toFixed(0)}/s (target ${target}); CPU of the gateway ${cpu.toFixed(0)} us a job, of the client ${client.toFixed(0)} us; load ${load()}`,
  );
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
