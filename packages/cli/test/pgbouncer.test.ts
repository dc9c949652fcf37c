import { hasPgBouncer, startPgBouncer } from "@chainwright/backends/pgbouncer";
import { findBackend } from "@chainwright/backends/vitest";
import type { Server } from "@chainwright/backends";
import { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cli } from "./cli.ts";

const url = await findBackend("postgres");

describe.skipIf(url === undefined || !hasPgBouncer())("commands behind PgBouncer in transaction mode", () => {
  const schema = `cli_bouncer_${process.pid}`;
  let bouncer: Server;
  let [store, direct] = ["", ""];

  beforeAll(async () => {
    bouncer = await startPgBouncer(url ?? "", "transaction", 2);
    const pooled = new URL(bouncer.url);
    pooled.searchParams.set("schema", schema);
    store = pooled.href;
    pooled.host = new URL(url ?? "").host;
    direct = pooled.href;
  });
  afterAll(async () => {
    await bouncer.stop();
    const pool = new Pool({ connectionString: url, max: 1 });
    await pool.query(`drop schema if exists "${schema}" cascade`);
    await pool.end();
  });

  it("do what they do without it, one process after the other on the same connections", async () => {
    const run = async (...args: readonly string[]) => await cli(["--store", store, ...args]);
    const outcomes: unknown[] = [];
    for (const args of [
      ["migrate", "--dry-run"],
      ["migrate"],
      ["start", "mail.send", "1"],
      ["start", "mail.send", "2"],
      ["chains", "list"],
      ["jobs", "list"],
      ["types"],
      ["workers"],
      ["limits", "list"],
      ["schedules", "list"],
      ["chains", "cancel", "--status", "active", "--yes", "--dry-run"],
      ["chains", "cancel", "--status", "active", "--yes"],
    ]) {
      const { code, err } = await run(...args);
      if (code !== 0) outcomes.push({ args, code, err });
    }
    expect(outcomes).toEqual([]);
    expect((await run("chains", "list", "--status", "cancelled")).lines).toHaveLength(2);
    expect((await run("chains", "retry", "--status", "cancelled", "--yes")).code).toBe(0);
    expect((await run("chains", "list", "--status", "active")).lines).toHaveLength(2);
    const { lines } = await run("doctor");
    const notGreen = lines.flatMap((line) => (line.startsWith("green") ? [] : [line.split("\t")[1]]));
    // The server of the tests does not sync, and no worker runs.
    expect(notGreen).toEqual(["durability", "workers"]);
    expect(lines.filter((line) => line.includes("pooler"))).toHaveLength(1);
    expect((await cli(["--store", direct, "doctor"])).lines.join()).not.toContain("pooler");
  });
});
