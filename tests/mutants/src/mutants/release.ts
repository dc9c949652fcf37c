import type { Mutant } from "../mutant.ts";

const inProcess = "packages/core/src/in-process";
const postgres = "packages/postgres/src/functions";
const sqlite = "packages/sqlite/src/operations";

/** What the ends of chains leave to later exchanges: in the process, and what clients do about it. */
export const releaseMutants: readonly Mutant[] = [
  {
    name: "release: bounded",
    file: `${inProcess}/chain-end.ts`,
    find: "const mostAtOnce = 500;",
    replace: "const mostAtOnce = 5_000_000;",
  },
  {
    name: "release: the rest is kept",
    file: `${inProcess}/chain-end.ts`,
    find: "    keepRelease(store, { ...release, at });\n",
    replace: "",
  },
  {
    name: "release: goes on where it stopped",
    file: `${inProcess}/chain-end.ts`,
    find: "keepRelease(store, { ...release, at });",
    replace: "keepRelease(store, { ...release, at: at - 1 });",
  },
  {
    name: "release: leaves no job out where it stopped",
    file: `${inProcess}/chain-end.ts`,
    find: "keepRelease(store, { ...release, at });",
    replace: "keepRelease(store, { ...release, at: at + 1 });",
  },
  {
    name: "release: carried on by an exchange",
    file: `${inProcess}/operations/exchange.ts`,
    find: "const released = carryOn(store, now);",
    replace:
      "const released = carryOn(store, now < 0 ? now : NaN) && { unblocked: [], failed: [], reblocked: [], releasing: false };",
  },
  {
    name: "release: a job that was counted since is not counted down",
    file: `${inProcess}/chain-end.ts`,
    find: 'row.status === "blocked" && (row.blocking?.countedAt ?? 0) <= since',
    replace: 'row.status === "blocked" && since >= 0',
  },
  {
    name: "release: a retry ends it",
    file: `${inProcess}/reopen.ts`,
    find: "  dropRelease(store, chain);\n",
    replace: "",
  },
  {
    name: "release: undone with the transaction that left it",
    file: `${inProcess}/releases.ts`,
    find: "  store.journal?.push(() => {\n    put(store, chain, before);\n  });\n",
    replace: "  if (before === release) put(store, chain, before);\n",
  },
  {
    name: "release: carried on by the process that ended the chain",
    file: "packages/core/src/engine/engine.ts",
    find: 'if (recorded.some(({ type }) => type === "chain-releasing")) carryOn.begin();',
    replace: 'if (recorded.some(({ type }) => type === "chain-releasing" && recorded.length < 0)) carryOn.begin();',
  },
  {
    name: "release: what an exchange released is told",
    file: "packages/core/src/worker/exchange-loop.ts",
    find: "  for (const event of consequenceEvents(reply.released)) events.push(event);\n",
    replace: "",
  },
];

/** The same on Postgres, where another transaction may have locked the jobs. */
export const postgresReleaseMutants: readonly Mutant[] = [
  {
    name: "Postgres, release: bounded",
    file: `${postgres}/follow.ts`,
    find: "export const mostAtOnce = 500;",
    replace: "export const mostAtOnce = 5_000_000;",
  },
  {
    name: "Postgres, release: the rest is kept",
    file: `${postgres}/follow.ts`,
    find: "from ${ended} where e.at >= v_at[v_left + 1]\n        -- The one",
    replace: "from ${ended} where false\n        -- The one",
  },
  {
    name: "Postgres, release: goes on where it stopped",
    file: `${postgres}/follow.ts`,
    find: "then v_found[v_left + 1] else e.from_id end",
    replace: "then v_found[greatest(1, v_left)] else e.from_id end",
  },
  {
    name: "Postgres, release: leaves no job out where it stopped",
    file: `${postgres}/follow.ts`,
    find: "order by b.job_id, b.position limit v_left + 1) b\n      order by e.at, b.job_id limit v_left + 1) f;",
    replace:
      "order by b.job_id, b.position offset (e.from_id is not null)::integer limit v_left + 1) b\n      order by e.at, b.job_id limit v_left + 1) f;",
  },
  {
    name: "Postgres, release: carried on by a claim",
    file: "packages/postgres/src/operations/claim.ts",
    find: "  if v_is_releasing then\n",
    replace: "  if v_is_releasing and v_now < 0 then\n",
  },
  {
    name: "Postgres, release: carried on by an exchange that claims nothing",
    file: `${postgres}/carry.ts`,
    find: "  if exists (select from ${s}.release) then\n",
    replace: "  if v_now < 0 then\n",
  },
  {
    name: "Postgres, release: a job that was counted since is not counted down",
    file: `${postgres}/follow.ts`,
    find: "where b.chain_id = e.chain_id and b.counted\n",
    replace: "where b.chain_id = e.chain_id\n",
  },
  {
    name: "Postgres, release: a job that starts after the end does not count the chain",
    file: `${postgres}/link.ts`,
    find: "l.position, l.chain, f.chain_status <> 1\n",
    replace: "l.position, l.chain, true\n",
  },
  {
    name: "Postgres, release: a job that comes back does not count what has completed",
    file: `${postgres}/reopen.ts`,
    find: "update ${s}.blocker b set counted = false\n",
    replace: "update ${s}.blocker b set counted = true\n",
  },
  {
    name: "Postgres, release: waits for no one who has locked a job that is counted down",
    file: `${postgres}/follow.ts`,
    find: "        where o.state = 2 for update of o skip locked),\n",
    replace: "        where o.state = 2 for update of o),\n",
  },
  {
    name: "Postgres, release: waits for no one who has locked a job that fails",
    file: `${postgres}/follow.ts`,
    find: "for update of o skip locked for no key update of c skip locked",
    replace: "for update of o for no key update of c skip locked",
  },
  {
    name: "Postgres, release: waits for no one who waits for a chain that fails",
    file: `${postgres}/follow.ts`,
    find: "for update of o skip locked for no key update of c skip locked",
    replace: "for update of o skip locked",
  },
  {
    name: "Postgres, release: a job that is locked is kept",
    file: `${postgres}/follow.ts`,
    find: "select nextval(${positions}), l.chain_id, l.job_id, l.job_id from locked l)",
    replace: "select nextval(${positions}), l.chain_id, l.job_id, l.job_id from locked l where false)",
  },
];

/** The same on SQLite. */
export const sqliteReleaseMutants: readonly Mutant[] = [
  {
    name: "SQLite, release: bounded",
    file: `${sqlite}/releases.ts`,
    find: "const mostAtOnce = 500;",
    replace: "const mostAtOnce = 5_000_000;",
  },
  {
    name: "SQLite, release: the rest is kept",
    file: `${sqlite}/releases.ts`,
    find: "if (next !== undefined) keep.run(chain.seq, next.seq);",
    replace: "if (next !== undefined && next.seq < 0) keep.run(chain.seq, next.seq);",
  },
  {
    name: "SQLite, release: goes on where it stopped",
    file: `${sqlite}/releases.ts`,
    find: "keep.run(chain.seq, next.seq);",
    replace: "keep.run(chain.seq, next.seq - 1);",
  },
  {
    name: "SQLite, release: leaves no job out where it stopped",
    file: `${sqlite}/releases.ts`,
    find: "keep.run(chain.seq, next.seq);",
    replace: "keep.run(chain.seq, next.seq + 1);",
  },
  {
    name: "SQLite, release: carried on by an exchange",
    file: `${sqlite}/exchange.ts`,
    find: "const released = endChain.carryOn(now);",
    replace: "const released = { unblocked: [], failed: [], reblocked: [], releasing: endChain === undefined };",
  },
  {
    name: "SQLite, release: a job that was counted since is not counted down",
    file: `${sqlite}/releases.ts`,
    find: "and job >= ? and counted = 1 order by",
    replace: "and job >= ? order by",
  },
  {
    name: "SQLite, release: a job that starts after the end does not count the chain",
    file: `${sqlite}/write-job.ts`,
    find: "open.has(chain) ? 1 : 0",
    replace: "1",
  },
  {
    name: "SQLite, release: a job that comes back does not count what has completed",
    file: `${sqlite}/reopen.ts`,
    find: "    statements.uncount.run(job.seq);\n",
    replace: "",
  },
];
