import type { Mutant } from "../mutant.ts";

const source = "packages/postgres/src";

/** The protections of the Postgres adapter around its SQL: connections, errors, migration, notifications. */
export const postgresDriverMutants: readonly Mutant[] = [
  {
    name: "Postgres, transaction: a callback that fails rolls back",
    file: `${source}/drivers/pg.ts`,
    find: 'await rollsBack(connection.client.query({ text: "rollback" }));',
    replace: 'await rollsBack(connection.client.query({ text: "commit" }));',
  },
  {
    name: "Postgres, transaction: one that could not commit is told",
    file: `${source}/drivers/pg.ts`,
    find: 'if (command === "ROLLBACK")',
    replace: 'if (command === "")',
  },
  {
    name: "Postgres, transaction: read committed, whatever the default is",
    file: `${source}/drivers/pg.ts`,
    find: '{ text: "begin isolation level read committed" }',
    replace: '{ text: "begin" }',
  },
  {
    name: "Postgres, connection: a broken one is not used again",
    file: `${source}/drivers/pg.ts`,
    find: 'connection.letGo(isBroken(error) ? "broken" : "good");',
    replace: 'connection.letGo("good");',
  },
  {
    name: "Postgres, connection: one that breaks while it is idle does not end the process",
    file: `${source}/drivers/pg.ts`,
    find: 'if (!pool.listeners("error").includes(ignore)) pool.on("error", ignore);',
    replace: "",
  },
  {
    name: "Postgres, connection: one that breaks in a transaction does not end the process",
    file: `${source}/drivers/pg.ts`,
    find: 'if (!pool.listeners("acquire").includes(listenToErrorsOf)) pool.on("acquire", listenToErrorsOf);',
    replace: "",
  },
  {
    name: "Postgres, connection: one that takes no writes any more leaves the pool",
    file: `${source}/drivers/pg-connection.ts`,
    find: "return isReadOnly(error) || ",
    replace: "return ",
  },
  {
    name: "Postgres, tx: what is lent is refused after its end",
    file: "packages/sql-transactions/src/lend.ts",
    find: "if (refusal !== undefined) throw refusal();",
    replace: "",
  },
  {
    name: "Postgres, tx: the adapter refuses it after its end, whatever the library does",
    file: `${source}/handles.ts`,
    find: 'if (stateOf(tx) === "ended") throw',
    replace: 'if (stateOf(tx) === "ended" && tx === undefined) throw',
  },
  {
    name: "Postgres, tx: ended before the commit is sent",
    file: `${source}/drivers/pg.ts`,
    find: "    // Before the commit is sent: what came behind it would run by itself.\n    revoke();\n",
    replace: "",
  },
  {
    name: "Postgres, tx that the application opened: calls are made only inside a transaction",
    file: `${source}/store.ts`,
    find: "where i.id is not null offset 0",
    replace: "offset 0",
  },
  {
    name: "Postgres, tx that the application opened: one that has not written is one",
    file: `${source}/functions/inside.ts`,
    find: "perform pg_current_xact_id();",
    replace: "null;",
  },
  {
    name: "Postgres, tx that the application opened: not one that the library opened since",
    file: `${source}/drivers/pg.ts`,
    find: "if (transacting.has(tx)) throw endedTransaction();",
    replace: "",
  },
  {
    name: "Postgres, replication: a commit that no standby has is not acknowledged",
    file: `${source}/drivers/pg-connection.ts`,
    find: "if (!isReplicated) throw notReplicated();",
    replace: "",
  },
  {
    name: "Postgres, replication: with postgres.js as well",
    file: `${source}/drivers/postgres-js-notices.ts`,
    find: "if (!isReplicated) throw notReplicated();",
    replace: "",
  },
  {
    name: "Postgres, failover: a claim that finds nothing notices a server that takes no writes",
    file: `${source}/operations/claim.ts`,
    find: "if current_setting('transaction_read_only')::boolean then",
    replace: "if false then",
  },
  {
    name: "Postgres, failover: with postgres.js, a connection that takes no writes is not used again",
    file: `${source}/drivers/postgres-js.ts`,
    find: "if (isReadOnly(error)) queries.endConnection();",
    replace: "",
  },
  {
    name: "Postgres, failover: claims look from the beginning on another server",
    file: `${source}/operations/claim.ts`,
    find: "when p_front::jsonb->>'server' = ${thisServer} then p_front::jsonb end;",
    replace: "else p_front::jsonb end;",
  },
  {
    name: "Postgres, failover: claims look from the beginning after an exchange that failed",
    file: `${source}/operations/exchange.ts`,
    find: "    look?.failed();\n",
    replace: "",
  },
  {
    name: "Postgres, events: transactions on one connection are told apart",
    file: `${source}/store.ts`,
    find: "    handles.note(tx, id);\n",
    replace: "",
  },
  {
    name: "Postgres, limit: a callback that never ends",
    file: `${source}/connect.ts`,
    find: "Promise.race([callback(tx), limit.passed])",
    replace: "Promise.race([callback(tx)])",
  },
  {
    name: "Postgres, limit: a rollback that is not answered",
    file: `${source}/drivers/pg-connection.ts`,
    find: "return (await settlesWithin(rolledBack, rollbackLimitMs)) && (await rolledBack);",
    replace: "return rolledBack;",
  },
  {
    name: "Postgres, limit: a call or commit that is not answered",
    file: `${source}/drivers/within.ts`,
    find: "if (limitMs > longestTimerMs) return call;",
    replace: "if (limitMs > 0) return call;",
  },
  {
    name: "Postgres, reply lost: told as store-unavailable, not as the call's own failure",
    file: `${source}/errors.ts`,
    find: 'RangeError ? undefined : "store-unavailable";',
    replace: "RangeError ? undefined : undefined;",
  },
  {
    name: "Postgres, reply lost: a statement of unknown outcome is not sent again",
    file: `${source}/drivers/prepared.ts`,
    find: 'if (!prepared || (state !== "26000" && state !== "42P05")) throw error;',
    replace: 'if (!prepared || state === "40001") throw error;',
  },
  {
    name: "Postgres, migration: one process at a time",
    file: `${source}/migrate.ts`,
    find: "if (dryRun !== true) {",
    replace: 'if (dryRun !== true && schema.name === "") {',
  },
  {
    name: "Postgres, migration: one transaction",
    file: `${source}/migrate.ts`,
    find: "driver.query({ text, parameters, prepare: false }, tx);",
    replace: "driver.query({ text, parameters, prepare: false }, parameters.length > 0 ? tx : undefined);",
  },
  {
    name: "Postgres, closed: a call after close is refused",
    file: `${source}/connect.ts`,
    find: 'if (closing !== undefined) throw new ChainwrightError("closed", "the state adapter is closed");\n    try {',
    replace: "try {",
  },
  {
    name: "Postgres, notify: the durability of the application's own commits",
    file: `${source}/notify/adapter.ts`,
    find: "set_config('synchronous_commit', 'off', true)",
    replace: "set_config('synchronous_commit', 'off', false)",
  },
  {
    name: "Postgres, migration: a database in another encoding is refused",
    file: `${source}/migrate.ts`,
    find: 'if (encoding === "UTF8") return;',
    replace: 'if (encoding !== "") return;',
  },
  {
    name: "Postgres, migration: functions that are not those of the package are reported",
    file: `${source}/installed-functions.ts`,
    find: "present.get(name) !== body",
    replace: "!present.has(name)",
  },
  {
    name: "Postgres, reads: moments are not rounded by a setting",
    file: `${source}/rows.ts`,
    find: "`(${expression})::bigint`;",
    replace: "`(${expression})::double precision::text::double precision::bigint`;",
  },
];
