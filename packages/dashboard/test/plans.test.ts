import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { findBackend } from "@chainwright/backends/vitest";
import { createPostgresStateAdapter, type PostgresDriver, type PostgresQuery } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import { createSqliteStateAdapter, type SqliteDatabase, type SqliteDriver } from "@chainwright/sqlite";
import { nodeSqlite } from "@chainwright/sqlite/node-sqlite";
import { escapeLiteral, Pool, type PoolClient } from "pg";
import { afterAll, describe, expect, it } from "vitest";
import { ask, createHistory, questionsOf } from "./history.ts";

const postgresUrl = await findBackend("postgres");

/** The cost of a page must not grow with the history: every statement of a page starts at an index. */
describe("no page scans the history", { timeout: 120_000 }, () => {
  it.skipIf(postgresUrl === undefined)("on Postgres", async () => {
    const pool = new Pool({ connectionString: postgresUrl });
    const schema = `dashboard plans ${process.pid}`;
    const statements = new Map<string, PostgresQuery>();
    const stateAdapter = createPostgresStateAdapter({ driver: notingPostgres(pg(pool), statements), schema });
    await stateAdapter.migrate();
    const client = await createHistory(stateAdapter);
    // Only its own tables, because other suites on this server control vacuum themselves.
    for (const table of ["job", "open_job", "blocker", "stopped", "worker"]) {
      await pool.query(`vacuum analyze "${schema}".${table}`);
    }
    const questions = await questionsOf(client);
    statements.clear();
    await ask(client, questions);

    const scans: string[] = [];
    const connection = await pool.connect();
    for (const query of statements.values()) {
      // A prepared statement is first planned for these values, and later perhaps for all values.
      for (const mode of query.prepare ? ["custom", "generic"] : ["custom"]) {
        const found = (await planOf(connection, query, mode)).filter(readsHistory);
        scans.push(...found.map((node) => `${mode} plan, ${node["Node Type"]}: ${query.text}`));
      }
    }
    connection.release();
    await client.close();
    await pool.query(`drop schema "${schema}" cascade`);
    await pool.end();
    expect(statements.size).toBeGreaterThan(20);
    expect(scans).toEqual([]);
  });

  it("on SQLite", async () => {
    const folder = mkdtempSync(join(tmpdir(), "chainwright-dashboard-plans-"));
    afterAll(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "jobs.db");
    const statements = new Map<string, readonly (string | number | null)[]>();
    const stateAdapter = createSqliteStateAdapter({
      driver: notingSqlite(nodeSqlite(file), statements),
      durability: "off",
    });
    await stateAdapter.migrate();
    const client = await createHistory(stateAdapter);
    const database = new DatabaseSync(file);
    database.exec("analyze");
    database.close();
    const questions = await questionsOf(client);
    statements.clear();
    await ask(client, questions);
    await client.close();
    await stateAdapter.close();

    const again = new DatabaseSync(file);
    const scans = [...statements].flatMap(([sql, parameters]) => {
      const plan = again.prepare(`explain query plan ${sql}`).all(...parameters) as { detail: string }[];
      return plan
        .map(({ detail }) => detail)
        .filter((detail) => isScanOfHistory(detail, sql))
        .map((detail) => `${detail}\n${sql}`);
    });
    again.close();
    expect(statements.size).toBeGreaterThan(20);
    expect(scans).toEqual([]);
  });
});

/** A driver that records each statement with the parameters of its first call. */
function notingPostgres(
  driver: PostgresDriver<PoolClient>,
  statements: Map<string, PostgresQuery>,
): PostgresDriver<PoolClient> {
  return {
    ...driver,
    query: async (query, tx) => {
      if (!statements.has(query.text)) statements.set(query.text, query);
      return await driver.query(query, tx);
    },
  };
}

function notingSqlite(
  driver: SqliteDriver<DatabaseSync>,
  statements: Map<string, readonly (string | number | null)[]>,
): SqliteDriver<DatabaseSync> {
  const noting = (database: SqliteDatabase<DatabaseSync>): SqliteDatabase<DatabaseSync> => ({
    handle: database.handle,
    get inTransaction() {
      return database.inTransaction;
    },
    exec: database.exec,
    close: database.close,
    prepare: (sql) => {
      const statement = database.prepare(sql);
      const note = (parameters: readonly (string | number | null)[]) => {
        if (/^\s*(select|with)/.test(sql) && !statements.has(sql)) statements.set(sql, parameters);
      };
      return {
        run: (...parameters) => statement.run(...parameters),
        get: (...parameters) => {
          note(parameters);
          return statement.get(...parameters);
        },
        all: (...parameters) => {
          note(parameters);
          return statement.all(...parameters);
        },
      };
    },
  });
  return {
    ...driver,
    open: () => noting(driver.open()),
    openReader: () => {
      const reader = driver.openReader();
      return reader === undefined ? undefined : noting(reader);
    },
  };
}

interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Cond"?: string;
  readonly Filter?: string;
  readonly Plans?: readonly PlanNode[];
}

async function planOf(connection: PoolClient, { text, parameters }: PostgresQuery, mode: string) {
  await connection.query(`set plan_cache_mode = force_${mode}_plan`);
  await connection.query(`prepare plan_of as ${text}`);
  const values = parameters.map((value) => (value === null ? "null" : escapeLiteral(value)));
  const execute = values.length === 0 ? "execute plan_of" : `execute plan_of(${values.join(", ")})`;
  const { rows } = await connection.query<{ "QUERY PLAN": readonly [{ Plan: PlanNode }] }>(
    `explain (format json) ${execute}`,
  );
  await connection.query("deallocate plan_of");
  return nodesOf(rows[0]?.["QUERY PLAN"][0].Plan);
}

function nodesOf(node: PlanNode | undefined): readonly PlanNode[] {
  return node === undefined ? [] : [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** Whether a step of a plan scans a whole table, or scans until it has found enough matches. */
function readsHistory(node: PlanNode): boolean {
  if (node["Relation Name"] !== "job") return false;
  if (node["Node Type"] === "Seq Scan") return true;
  // Reads along the ids, page by page; it skips only later steps of chains.
  const passesBy = node.Filter !== undefined && node.Filter !== "(chain_status IS NOT NULL)";
  return /^Index (Only )?Scan$/.test(node["Node Type"]) && node["Index Cond"] === undefined && passesBy;
}

/** The same for SQLite: a scan may only read a small partial index, or return rows in the order of the ids. */
function isScanOfHistory(detail: string, sql: string): boolean {
  const scan = /^SCAN ([a-z]|chainwright_(?:job|blocker))(?: USING (?:COVERING )?INDEX (\S+))?$/.exec(detail);
  if (scan === null) return false;
  const [, name = "", index = ""] = scan;
  if (isNoTableOfJobs(name, sql)) return false;
  if (index.startsWith("sqlite_autoindex_")) return !/where (?:true|c\.chain is null) order by/.test(sql);
  return !/_(?:stopped|blocked|placed)$/.test(index);
}

/** Whether an alias is only that of subqueries, whose own scans have lines of their own, or of the keys of limits in use. */
function isNoTableOfJobs(alias: string, sql: string): boolean {
  const sources = Array.from(
    sql.matchAll(new RegExp(`(\\)|chainwright_\\w+) ${alias}\\b`, "g")),
    ([, source]) => source,
  );
  return sources.length > 0 && sources.every((source) => source === ")" || source === "chainwright_gate");
}
