import { hasPgBouncer, startPgBouncer } from "@chainwright/backends/pgbouncer";
import { findBackend } from "@chainwright/backends/vitest";
import type { Server } from "@chainwright/backends";
import { createPostgresStateAdapter } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import { Pool } from "pg";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cli } from "./cli.ts";
import { fillShop } from "./shop.ts";

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

  it("wait, watch and change: signals, limits, schedules, pauses, a check before a deployment, the dashboard and tail", async () => {
    const opened = await filledStore(`${schema}_2`);
    const { shop } = opened;
    const pooled = new URL(bouncer.url);
    pooled.searchParams.set("schema", `${schema}_2`);
    const run = async (...args: readonly string[]) => await cli(["--store", pooled.href, ...args]);
    const codes: unknown[] = [];
    for (const args of [
      ["signal", shop.waiting.id, "decision", '{"ok":true}'],
      ["limits", "change", "provider", "--concurrency", "2"],
      ["limits", "pause", "provider"],
      ["limits", "resume", "provider"],
      ["limits", "reset", "provider"],
      ["schedules", "show", "daily"],
      ["schedules", "pause", "daily"],
      ["schedules", "resume", "daily"],
      ["schedules", "trigger", "daily"],
      ["schedules", "delete", "daily"],
      ["types", "pause", "mail.send"],
      ["types", "resume", "mail.send"],
      ["chains", "show", shop.placed.id],
      ["chains", "delete", shop.sent.id, "--yes"],
    ]) {
      const { code, err } = await run(...args);
      if (code !== 0) codes.push({ args, code, err });
    }
    expect(codes).toEqual([]);
    expect((await shop.client.listSchedules()).items).toEqual([]);
    expect((await shop.client.listSignals({ id: shop.waiting.id })).items).toHaveLength(1);
    expect((await shop.client.listLimits()).items).toEqual([]);

    process.env["TEST_STORE"] = pooled.href;
    const config = fileURLToPath(new URL("fixtures/chainwright.config.ts", import.meta.url));
    const checked = await cli(["--config", config, "check"]);
    expect([checked.code, checked.out]).toEqual([1, expect.stringContaining("order.approve")]);

    const printed: string[] = [];
    const served = await cli(["--store", pooled.href, "dashboard"], {
      onPrint: (text) => void printed.push(text),
      untilStopped: async () => {
        const link = new URL(printed.join("").trim());
        const cookie = (await fetch(link, { redirect: "manual" })).headers.get("set-cookie")?.split(";")[0] ?? "";
        const failed = await fetch(new URL("/-/failed", link), { headers: { cookie } });
        expect(await failed.json()).toMatchObject({ groups: [{ typeName: "mail.send", count: 3 }] });
      },
    });
    expect(served.code, served.err).toBe(0);

    const stop = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const events: string[] = [];
    const tail = cli(["--store", pooled.href, "--json", "tail"], {
      untilStopped: async () => await stop.promise,
      onComplain: () => begun.resolve(),
      onPrint: (text) => void events.push(text),
    });
    await begun.promise;
    const { id } = await shop.client.startChain({ typeName: "mail.send", input: { to: "late" } });
    await expect.poll(() => events.join(""), { timeout: 50_000 }).toContain(id);
    stop.resolve();
    expect((await tail).code).toBe(0);
    await opened.close();
  });
});

/** A store with chains, a schedule and a limit, written without PgBouncer. */
async function filledStore(schema: string) {
  const pool = new Pool({ connectionString: url, max: 4 });
  const stateAdapter = createPostgresStateAdapter({ driver: pg(pool), schema });
  const shop = await fillShop({ stateAdapter });
  await shop.client.createSchedule({ id: "daily", typeName: "mail.send", input: { to: "all" }, cron: "0 9 * * *" });
  const rule = { concurrency: 1, rate: undefined };
  await stateAdapter.changeLimits([{ kind: "declare", limit: "provider", rule, codeVersion: undefined }], {});
  return {
    shop,
    close: async () => {
      await shop.client.close();
      await stateAdapter.close();
      await pool.query(`drop schema "${schema}" cascade`);
      await pool.end();
    },
  };
}
