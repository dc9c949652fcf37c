import type { Row } from "../store/open-store.ts";
import { counted } from "../text/numbers.ts";
import { shownDuration } from "../text/time.ts";
import { green, red, yellow, type Finding } from "./finding.ts";

/** One read of the server, and what its rows mean. `$1` is the schema, for those that name it. */
export interface PostgresCheck {
  readonly name: string;
  readonly sql: string;
  readonly ofSchema?: true;
  readonly judge: (rows: readonly Row[], tookMs: number) => readonly Finding[];
}

const [oldestServer, newestServer] = [13, 18];
const [longMs, tooLongMs] = [60_000, 15 * 60_000];
const [manyDead, deadForEachLive] = [100_000, 5];
const fullShare = 0.8;
const [clockMs, clockTooFarMs] = [1_000, 30_000];

const number = (value: unknown): number => (value === null || value === undefined ? 0 : Number(value));
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const session = (row: Row | undefined): string =>
  `process ${number(row?.["pid"])} of ${text(row?.["user"])}${text(row?.["application"]) === "" ? "" : `, ${text(row?.["application"])}`}`;

export const postgresChecks: readonly PostgresCheck[] = [
  {
    name: "engine",
    sql: `select version() as version, current_setting('server_version_num')::int as number,
      exists (select from pg_extension where extname = 'citus') as citus`,
    judge: ([row]) => {
      const [version = ""] = text(row?.["version"]).split(" on ");
      const major = Math.floor(number(row?.["number"]) / 10_000);
      const known = version.startsWith("PostgreSQL ") && major >= oldestServer && major <= newestServer;
      const supported = `use PostgreSQL ${oldestServer} to ${newestServer}`;
      if (!known || /cockroach|yugabyte/i.test(text(row?.["version"])))
        return [red("engine", `the server is ${version}`, supported)];
      if (row?.["citus"] === true)
        return [red("engine", "the database has the extension citus", `${supported} without it`)];
      return [green("engine", version)];
    },
  },
  {
    name: "rights",
    ofSchema: true,
    sql: `select c.relname as name, c.relkind as kind from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = $1 and case c.relkind
        when 'r' then not (has_table_privilege(c.oid, 'select') and has_table_privilege(c.oid, 'insert')
          and has_table_privilege(c.oid, 'update') and has_table_privilege(c.oid, 'delete'))
        when 'S' then not has_sequence_privilege(c.oid, 'usage') else false end
      union all select p.proname, 'f' from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname = $1 and not has_function_privilege(p.oid, 'execute') order by name limit 3`,
    judge: (rows) => {
      if (rows.length === 0) return [];
      const names = rows.map((row) => text(row["name"])).join(", ");
      const remedy = "run `chainwright migrate --role NAME` as the owner of the schema, and the grants that it prints";
      return [red("rights", `this role lacks rights on ${names}`, remedy)];
    },
  },
  {
    name: "horizon",
    sql: `select pid, usename as user, application_name as application, extract(epoch from clock_timestamp() - xact_start) * 1000 as ms
      from pg_stat_activity where backend_xmin is not null and pid <> pg_backend_pid() and xact_start is not null
      order by xact_start limit 1`,
    judge: ([row]) => {
      const ms = number(row?.["ms"]);
      if (ms <= longMs) return [];
      const problem = `a snapshot is ${shownDuration(ms)} old (${session(row)}): vacuum cannot remove rows that ended since`;
      return [
        (ms > tooLongMs ? red : yellow)(
          "horizon",
          problem,
          `end it: select pg_terminate_backend(${number(row?.["pid"])})`,
        ),
      ];
    },
  },
  {
    name: "idle in transaction",
    sql: `select pid, usename as user, application_name as application, extract(epoch from clock_timestamp() - state_change) * 1000 as ms
      from pg_stat_activity where state like 'idle in transaction%' order by state_change limit 1`,
    judge: ([row]) => {
      const ms = number(row?.["ms"]);
      const remedy = "set idle_in_transaction_session_timeout for that role, for example to 1min";
      return ms <= longMs
        ? []
        : [
            yellow(
              "idle in transaction",
              `${session(row)} has been idle in a transaction for ${shownDuration(ms)}`,
              remedy,
            ),
          ];
    },
  },
  {
    name: "dead rows",
    ofSchema: true,
    sql: `select n_live_tup as live, n_dead_tup as dead, last_autovacuum as vacuumed from pg_stat_all_tables
      where schemaname = $1 and relname = 'open_job'`,
    judge: ([row]) => {
      const [live, dead] = [number(row?.["live"]), number(row?.["dead"])];
      if (dead <= manyDead || dead <= deadForEachLive * live) return [];
      const vacuumed = row?.["vacuumed"] instanceof Date ? `last on ${row["vacuumed"].toISOString()}` : "never yet";
      const problem = `the table of open jobs has ${counted(dead, "dead row")} and ${counted(live, "live row")}; autovacuum ran ${vacuumed}`;
      return [yellow("dead rows", problem, "look for what holds the horizon, then run vacuum on it")];
    },
  },
  {
    name: "replication",
    sql: `select count(*)::int as standbys, (select count(*)::int from pg_stat_activity where wait_event = 'SyncRep') as waiting,
      current_setting('synchronous_standby_names') as names from pg_stat_replication`,
    judge: ([row]) => {
      const [standbys, waiting, names] = [number(row?.["standbys"]), number(row?.["waiting"]), text(row?.["names"])];
      const remedy = "bring the standby back, or take its name out of synchronous_standby_names";
      if (waiting > 0)
        return [red("replication", `${counted(waiting, "commit")} wait for a standby (${names})`, remedy)];
      return standbys === 0
        ? []
        : [green("replication", `${counted(standbys, "standby connection")}; synchronous: ${names || "none"}`)];
    },
  },
  {
    name: "connections",
    sql: `select count(*)::int as used, current_setting('max_connections')::int as most from pg_stat_activity where backend_type = 'client backend'`,
    judge: ([row]) => {
      const [used, most] = [number(row?.["used"]), number(row?.["most"])];
      if (used <= most * fullShare) return [green("connections", `${used} of ${most}`)];
      return [
        yellow(
          "connections",
          `${used} of ${most} connections are in use`,
          "use fewer or smaller pools, or a pooler in front of the server",
        ),
      ];
    },
  },
  {
    name: "clock",
    sql: "select extract(epoch from clock_timestamp()) * 1000 as now",
    judge: ([row], tookMs) => {
      const offMs = Math.abs(number(row?.["now"]) + tookMs / 2 - Date.now());
      if (offMs <= clockMs + tookMs) return [];
      const problem = `the clocks of this machine and of the server differ by ${shownDuration(offMs)}`;
      return [(offMs > clockTooFarMs ? red : yellow)("clock", problem, "synchronise them, for example by NTP")];
    },
  },
  {
    name: "durability",
    sql: `select current_setting('fsync') as fsync, current_setting('full_page_writes') as pages, current_setting('synchronous_commit') as commit`,
    judge: ([row]) => {
      const unsafe = ["fsync", "pages"]
        .filter((name) => row?.[name] === "off")
        .map((name) => (name === "pages" ? "full_page_writes" : name));
      if (unsafe.length > 0)
        return [
          red(
            "durability",
            `${unsafe.join(" and ")} is off: a crash of the server can lose or damage everything`,
            "turn it on",
          ),
        ];
      const commit = text(row?.["commit"]);
      const lost = "a crash of the server loses the last fractions of a second, though they were confirmed";
      return commit === "off"
        ? [
            yellow(
              "durability",
              `synchronous_commit is off: ${lost}`,
              "turn it on for the role, unless that is acceptable",
            ),
          ]
        : [green("durability", `fsync is on, synchronous_commit is ${commit}: what was confirmed survives a crash`)];
    },
  },
];
