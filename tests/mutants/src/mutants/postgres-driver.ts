import type { Mutant } from "../mutant.ts";

const source = "packages/postgres/src";

/** The protections of the Postgres adapter around its SQL: connections, errors, migration, notifications. */
export const postgresDriverMutants: readonly Mutant[] = [
  {
    name: "Postgres, transaction: a callback that fails rolls back",
    file: `${source}/drivers/pg.ts`,
    find: "client.release(!(await rolledBack(client)));",
    replace: 'await client.query({ text: "commit" });\n        client.release();',
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
    find: "client.release(isBroken(error));",
    replace: "client.release();",
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
];
