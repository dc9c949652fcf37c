import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cli } from "./cli.ts";
import { fillShop } from "./shop.ts";
import { stores, type TestStore } from "./stores.ts";

describe.each(stores)("exit codes on $name", ({ make, isMissing }) => {
  if (isMissing) return;
  let store: TestStore;
  let shop: Awaited<ReturnType<typeof fillShop>>;
  beforeAll(async () => {
    store = await make();
    shop = await fillShop(store);
  });
  afterAll(async () => {
    await shop.client.close();
    await store.close();
  });

  const unknown = "01900000-0000-7000-8000-000000000000";
  it.each([
    [0, "nothing to migrate", ["migrate"], "up to date"],
    [0, "nothing found", ["chains", "list", "--type", "no.such"], ""],
    [0, "help", ["chains", "list", "--help"], "Usage: chainwright chains list"],
    [1, "an unknown chain", ["chains", "show", unknown], "there is no chain"],
    [1, "an unknown job", ["jobs", "explain", unknown], "there is no job"],
    [1, "an unknown schedule", ["schedules", "show", "none"], "there is no schedule"],
    [1, "a refused change", ["chains", "cancel", unknown], "refused: 1"],
    [1, "a chain that did not complete", ["start", "mail.send", '{"to":"x"}', "--after", "1h", "--wait", "50ms"], "50"],
    [2, "an unknown command", ["chain"], "Did you mean chains?"],
    [2, "an unknown option", ["chains", "list", "--tpye", "x"], "unknown option '--tpye'"],
    [2, "a missing argument", ["chains", "show"], "missing required argument"],
    [2, "an invalid status", ["chains", "list", "--status", "dead"], "--status must be active"],
    [2, "an invalid duration", ["chains", "list", "--since", "yesterday"], "--since must be a time"],
    [2, "an invalid number", ["chains", "list", "--limit", "0"], "--limit must be an integer from 1"],
    [2, "an invalid input", ["start", "mail.send", "{to"], "must be JSON"],
    [2, "a change of everything", ["chains", "delete"], "name the chains to delete"],
    [2, "ids and filters", ["chains", "cancel", unknown, "--status", "active"], "name ids or filters"],
    [2, "a check without code", ["check"], "needs --config FILE"],
    [2, "no command", [], "Usage: chainwright"],
  ])("%i: %s", async (code, _what, args, text) => {
    const ran = await cli(["--store", store.url, ...args]);
    expect(ran, ran.err).toMatchObject({ code });
    expect(ran.out + ran.err).toContain(text);
    expect(ran.err).not.toMatch(/^ {4}at /m);
  });

  it("are told as JSON with --json", async () => {
    const ran = await cli(["--store", store.url, "--json", "chains", "show", unknown]);
    expect(JSON.parse(ran.err)).toEqual({
      error: { code: "chain-not-found", message: `there is no chain ${unknown}` },
    });
  });

  it("are 1 on a store without tables, with the next step", async () => {
    const empty = await make();
    // An SQLite file that does not exist is another error: it has the tables of another prefix.
    await cli(["--store", empty.url, "migrate"]);
    const url = new URL(empty.url);
    url.searchParams.set(empty.name === "sqlite" ? "tablePrefix" : "schema", "without_tables_");
    for (const command of ["types", "doctor"]) {
      const ran = await cli(["--store", url.href, command]);
      expect(ran).toMatchObject({ code: 1 });
      expect(ran.err).toMatch(/[Rr]un `chainwright migrate`/);
    }
    await empty.close();
  });

  it("of a migration: the SQL is printed, run, and then there is nothing to do", async () => {
    const empty = await make();
    const plan = await cli(["--store", empty.url, "migrate", "--dry-run"]);
    expect(plan.code).toBe(0);
    expect(plan.out).toContain("create table");
    const first = await cli(["--store", empty.url, "migrate"], { columns: 80 });
    expect(first.out).toContain("migrated to schema version");
    expect((await cli(["--store", empty.url, "migrate", "--dry-run"])).out).toBe("");
    expect((await cli(["--store", empty.url, "migrate"])).out).toContain("up to date");
    await empty.close();
  });
});

describe("a store that is away", () => {
  it.each([
    ["refuses connections", "postgres://app:s3cret-word@127.0.0.1:1/db"],
    ["does not exist", "postgres://app:s3cret-word@no-such-host.invalid/db"],
    ["is a file that does not exist", "sqlite:/nowhere/jobs.db"],
  ])("%s: one sentence within 5 s, without a stack or a password", async (_what, url) => {
    const begun = performance.now();
    const ran = await cli(["types"], { env: { CHAINWRIGHT_STORE: url } });
    expect(performance.now() - begun).toBeLessThan(5_000);
    expect(ran.code).toBe(1);
    expect(ran.err.trim().split("\n")).toHaveLength(1);
    expect(ran.out + ran.err).not.toContain("s3cret-word");
  });

  it("accepts connections and never speaks: given up within 5 s", async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const address = silent.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const begun = performance.now();
    const ran = await cli(["--store", `postgres://app@127.0.0.1:${port}/db`, "types"]);
    expect(performance.now() - begun).toBeLessThan(5_000);
    expect(ran).toMatchObject({ code: 1 });
    silent.close();
  });
});
