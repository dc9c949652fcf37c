import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { BackendMissingError } from "@chainwright/backends";
import { startPostgresCluster } from "@chainwright/backends/postgres-cluster";
import { findBackend } from "@chainwright/backends/vitest";
import { createPostgresStateAdapter } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import { createSqliteStateAdapter } from "@chainwright/sqlite";
import { nodeSqlite } from "@chainwright/sqlite/node-sqlite";
import { createClient, createInProcessStateAdapter, defineJobTypes, type StateAdapter } from "chainwright";
import { Pool } from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { createDashboard } from "../src/create-dashboard.ts";
import type { AuditEntry, DashboardFailure } from "../src/options.ts";
import type { Role } from "../src/protocol/actions.ts";
import { requestHeader, routes, type ErrorResponse } from "../src/protocol/routes.ts";

const jobTypes = defineJobTypes<{ "mail.send": { entry: true; input: { to: string }; output: null } }>();
const postgresUrl = await findBackend("postgres");

/** Migrates a store, and starts a chain in it. */
async function fill<Tx>(stateAdapter: StateAdapter<Tx>): Promise<string> {
  await stateAdapter.migrate();
  const client = createClient({ stateAdapter, jobTypes, observers: [] });
  const { id } = await client.startChain({ typeName: "mail.send", input: { to: "ada" } });
  await client.close();
  return id;
}

/** A dashboard on a store, and what an admin and a viewer see there. */
function dashboardOn<Tx>(stateAdapter: StateAdapter<Tx>) {
  const client = createClient({ stateAdapter, jobTypes, observers: [] });
  const failures: DashboardFailure[] = [];
  const audited: AuditEntry[] = [];
  const dashboard = createDashboard({
    client,
    authorize: (request) => ({ role: (request.headers.get("x-test-role") ?? "admin") as Role, name: "Ada" }),
    audit: (entry) => void audited.push(entry),
    onError: (failure) => void failures.push(failure),
  });
  onTestFinished(() => client.close());
  const get = async (path: string, role: Role = "admin") =>
    await dashboard.fetch(new Request(`http://localhost/${path}`, { headers: { "x-test-role": role } }));
  const post = async (path: string, body: object) => {
    const headers = { "content-type": "application/json", origin: "http://localhost", [requestHeader]: "1" };
    const response = await dashboard.fetch(
      new Request(`http://localhost/${path}`, { method: "POST", headers, body: JSON.stringify(body) }),
    );
    return { status: response.status, ...((await response.json()) as Partial<ErrorResponse>) };
  };
  return { get, post, failures, audited };
}

/** Checks that everything can be looked at, that actions are refused with the reason, and that readers are told before. */
async function expectOnlyReads<Tx>(stateAdapter: StateAdapter<Tx>, id: string, reason: RegExp): Promise<void> {
  const { get, post, failures, audited } = dashboardOn(stateAdapter);
  const session = await (await get("-/session")).json();
  expect(session).toMatchObject({ readOnly: expect.stringMatching(reason) as string });
  // A viewer can do nothing anyway, so the database is not asked.
  expect(await (await get("-/session", "viewer")).json()).not.toHaveProperty("readOnly");

  const byId: ReadonlySet<string> = new Set(["chain", "steps", "blockers", "dependents", "signals", "notes", "job"]);
  for (const [name, { method, path }] of Object.entries(routes)) {
    if (method === "POST" || name === "events" || name === "recurring") continue;
    const response = await get(byId.has(name) ? `${path}?id=${id}` : path);
    expect([name, response.status, await response.text()]).toEqual([name, 200, expect.any(String)]);
  }

  const actions = [
    { action: "cancel", ids: [id] },
    { action: "delete", ids: [id] },
    { action: "pause", ids: ["mail.send"] },
  ];
  for (const body of actions) {
    for (const path of ["-/preview", "-/act"]) {
      const { status, error } = await post(path, body);
      expect([body.action, path, status, error?.code]).toEqual([body.action, path, 403, "read-only"]);
      expect(error?.message).toMatch(reason);
    }
  }
  expect(audited.map(({ action, done, refused, failed }) => ({ action, done, refused, failed }))).toEqual(
    actions.map(({ action, ids }) => {
      const refused = ids.map((each) => ({ id: each, code: "read-only" }));
      return { action, done: [], refused, failed: false };
    }),
  );
  expect(failures).toEqual([]);
}

describe("on a database that takes no writes, pages show everything and actions are refused with the reason", () => {
  it.skipIf(postgresUrl === undefined).each([
    ["a role with select only", "reader", "", /database role .* may not write/],
    ["default_transaction_read_only", undefined, "-c default_transaction_read_only=on", /set to read-only/],
  ])("Postgres, %s", async (_name, role, options, reason) => {
    const schema = `read_only_${process.pid}_${role ?? "default"}`;
    const owner = new Pool({ connectionString: postgresUrl });
    const id = await fill(createPostgresStateAdapter({ driver: pg(owner), schema }));
    const url = new URL(postgresUrl ?? "");
    if (role !== undefined) {
      url.username = `${schema}_${role}`;
      await owner.query(`
        create role ${url.username} login;
        grant usage on schema ${schema} to ${url.username};
        grant select on all tables in schema ${schema} to ${url.username};`);
    }
    const pool = new Pool({ connectionString: url.href, options });
    onTestFinished(async () => {
      await pool.end();
      await owner.query(`drop schema ${schema} cascade`);
      if (role !== undefined) await owner.query(`drop role ${url.username}`);
      await owner.end();
    });
    await expectOnlyReads(createPostgresStateAdapter({ driver: pg(pool), schema }), id, reason);
  });

  it("Postgres, a hot standby", async ({ skip }) => {
    // The chain is on the standby when its commit returns.
    const settings = { fsync: "off", synchronous_commit: "remote_apply" };
    const cluster = await startPostgresCluster({ standbys: 1, settings }).catch((error: unknown) => {
      if (error instanceof BackendMissingError) return undefined;
      throw error;
    });
    const [standby] = cluster?.standbys ?? [];
    if (cluster === undefined || standby === undefined) return skip("there is no pg_basebackup on this machine");
    const primary = new Pool({ connectionString: cluster.primary.server.url });
    const pool = new Pool({ connectionString: standby.server.url });
    onTestFinished(async () => {
      await Promise.all([pool.end(), primary.end()]);
      await cluster.stop();
    });
    await cluster.waitFor(standby.name);
    const id = await fill(createPostgresStateAdapter({ driver: pg(primary) }));
    await expectOnlyReads(createPostgresStateAdapter({ driver: pg(pool) }), id, /it is a standby/);
  });

  it("SQLite, a file that is opened read-only", async () => {
    const folder = mkdtempSync(join(tmpdir(), "chainwright-read-only-"));
    const file = join(folder, "jobs.db");
    const writing = createSqliteStateAdapter({ driver: nodeSqlite(file) });
    const id = await fill(writing);
    const database = new DatabaseSync(file, { readOnly: true });
    onTestFinished(async () => {
      database.close();
      await writing.close();
      rmSync(folder, { recursive: true });
    });
    await expectOnlyReads(createSqliteStateAdapter({ driver: nodeSqlite(database) }), id, /opened read-only/);
  });
});

it("on a database that takes writes, the session names no reason, and asking for one changes nothing", async () => {
  const stateAdapter = createInProcessStateAdapter();
  const id = await fill(stateAdapter);
  const { get, post } = dashboardOn(stateAdapter);
  expect(await (await get("-/session")).json()).not.toHaveProperty("readOnly");
  expect(await post("-/act", { action: "cancel", ids: [id] })).toMatchObject({ status: 200, done: 1 });
});
