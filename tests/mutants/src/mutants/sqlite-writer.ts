import type { Mutant } from "../mutant.ts";

const source = "packages/sqlite/src";

/** The protections of the SQLite adapter around its operations: the one writer, durability, errors, migration, hints. */
export const sqliteWriterMutants: readonly Mutant[] = [
  {
    name: "SQLite, writer: nobody is answered before the commit",
    file: `${source}/writer.ts`,
    find: "if (result.ok) served.push({ answer: result.answer, reject: member.reject });",
    replace: "if (result.ok) result.answer();",
  },
  {
    name: "SQLite, writer: a commit that failed is told",
    file: `${source}/writer.ts`,
    find: "for (const { reject } of served) reject(told);",
    replace: "for (const { answer, reject } of served) told === undefined ? reject(told) : answer();",
  },
  {
    name: "SQLite, writer: the lock is taken at the beginning",
    file: `${source}/writer.ts`,
    find: 'statement("begin immediate")',
    replace: 'statement("begin")',
  },
  {
    name: "SQLite, writer: leases do not run out while a callback keeps it",
    file: `${source}/writer.ts`,
    find: '      if (work.kind === "callback") tellAfterLong(line, since);\n',
    replace: "",
  },
  {
    name: "SQLite, writer: nor when that callback is rolled back",
    file: `${source}/after-long.ts`,
    find: "    line.begin();\n    afterLong(since, line.lastCallbackMs);\n",
    replace: "    line.begin();\n",
  },
  {
    name: "SQLite, writer: another process's lock is waited for",
    file: `${source}/writer.ts`,
    find: 'if (isBusy(error)) return "busy";',
    replace: 'if (isBusy(error) && line.waiting.length === 0) return "busy";',
  },
  {
    name: "SQLite, writer: a lock that is held for too long is told",
    file: `${source}/writer.ts`,
    find: "      tellThoseTooLate(line);\n",
    replace: "",
  },
  {
    name: "SQLite, writer: a failing member is rolled back to its savepoint",
    file: `${source}/writer.ts`,
    find: "if (!result.ok) line.rollbackMember();",
    replace: "if (!result.ok && line.closed) line.rollbackMember();",
  },
  {
    name: "SQLite, writer: a failing first member is rolled back",
    file: `${source}/writer.ts`,
    find: "if (isFirst && !result.ok) {",
    replace: "if (isFirst && !result.ok && line.closed) {",
  },
  {
    name: "SQLite, writer: members are in savepoints of their own",
    file: `${source}/writer.ts`,
    find: "if (!isFirst) line.savepoint();",
    replace: "if (!isFirst && served.length === 0) line.savepoint();",
  },
  {
    name: "SQLite, writer: a transaction in which a call broke off is not committed",
    file: `${source}/writer.ts`,
    find: "        broken ??= { ok: false, error };\n",
    replace: "",
  },
  {
    name: "SQLite, writer: a handle ends with its transaction",
    file: `${source}/writer.ts`,
    find: "    revoke();\n",
    replace: "",
  },
  {
    name: "SQLite, writer: a tx ends with its transaction",
    file: `${source}/writer.ts`,
    find: "    line.transactions.set(tx, ended);\n",
    replace: "",
  },
  {
    name: "SQLite, writer: a callback has its time",
    file: `${source}/writer.ts`,
    find: "Promise.race([caller.runInAsyncScope(() => line.callers.run(inside, run, tx)), limit.passed])",
    replace: "caller.runInAsyncScope(() => line.callers.run(inside, run, tx))",
  },
  {
    name: "SQLite, writer: a call that would wait for itself is refused",
    file: `${source}/writer.ts`,
    find: "if (!isInside(line)) return undefined;",
    replace: "if (!isInside(line) || line.open) return undefined;",
  },
  {
    name: "SQLite, writer: a slow callback holds up no commit",
    file: `${source}/writer.ts`,
    find: 'if (next.work.kind === "callback" && line.lastCallbackMs > groupMs) return true;',
    replace: "",
  },
  {
    name: "SQLite, writer: a failing statement of its own is no end",
    file: `${source}/writer.ts`,
    find: "    rollBack(line);\n    tellAll(current",
    replace: "    if (error !== undefined) throw error;\n    tellAll(current",
  },
  {
    name: "SQLite, reads: never what is not committed",
    file: `${source}/connect.ts`,
    find: "return writer.run(() => own.read(work, now ?? Date.now()));",
    replace: "return own.read(work, now ?? Date.now());",
  },
  {
    name: "SQLite, a tx of somebody else's is refused",
    file: `${source}/connect.ts`,
    find: "database.inTransaction && !writer.isOpen) {",
    replace: "database.inTransaction) {",
  },
  {
    name: "SQLite, durability: full waits for the disk",
    file: `${source}/open.ts`,
    find: "`pragma synchronous = ${durability};",
    replace: "`pragma synchronous = off;",
  },
  {
    name: "SQLite, durability: what a database promises is checked",
    file: `${source}/open.ts`,
    find: "if (holds(durability, String(journal), synchronous)) return;",
    replace: "if (holds(durability, String(journal), synchronous) || durability !== undefined) return;",
  },
  {
    name: "SQLite, durability: the write-ahead log",
    file: `${source}/open.ts`,
    find: 'database.prepare("pragma journal_mode = wal").get();',
    replace: 'database.prepare("pragma journal_mode = memory").get();',
  },
  {
    name: "SQLite, migration: looks again under the lock",
    file: `${source}/migrate.ts`,
    find: "const statements = pendingStatements(versionOf(database, tables), tables);",
    replace: "const statements = pendingStatements(0, tables);",
  },
  {
    name: "SQLite, migration: a store of a newer version is refused",
    file: `${source}/migrate.ts`,
    find: "  if (version <= newest) return;",
    replace: "  if (version >= 0) return;",
  },
  {
    name: "SQLite, errors: a lock that was not had is a conflict",
    file: `${source}/errors.ts`,
    find: '  5: ["transaction-conflict",',
    replace: '  5: ["store-corrupt",',
  },
  {
    name: "SQLite, errors: a failing disk is told as store-unavailable",
    file: `${source}/errors.ts`,
    find: "if (failure === undefined) return error;",
    replace: "if (failure === undefined || failure.code === 10) return error;",
  },
  {
    name: "SQLite, notify: hints that were missed are told",
    file: `${source}/hint-table.ts`,
    find: "if (first > at + 1) throw missed(first - at - 1);",
    replace: "",
  },
];
