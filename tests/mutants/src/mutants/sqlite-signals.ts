import type { Mutant } from "../mutant.ts";

/** Keep SQLite's jobs from waiting beside a signal, from being woken twice, and from being found where nothing waits. */
export const sqliteSignalMutants: readonly Mutant[] = [
  {
    name: "SQLite, signals: the end of a wait's time ends the wait",
    in: "sqlite:signalTriggersOf",
    find: "when old.waits is not null and new.state in (0, 3)",
    replace: "when old.waits is not null and new.state in (7)",
  },
  {
    name: "SQLite, signals: a job that no longer waits hears no topic",
    in: "sqlite:signalTriggersOf",
    find: "update ${t.openJob} set waits = null where job = new.job and waits is not null; delete from ${t.topic} where job = new.job;",
    replace: "update ${t.openJob} set waits = null where job = new.job and waits is not null;",
  },
  {
    name: "SQLite, signals: a job that ends hears no topic",
    in: "sqlite:signalTriggersOf",
    find: "after delete on ${t.openJob} when old.waits is not null",
    replace: "after delete on ${t.openJob} when old.waits = 2",
  },
  {
    name: "SQLite, signals: those of a deleted chain go with it",
    in: "sqlite:signalTriggersOf",
    find: "delete from ${t.signal} where chain = old.seq;",
    replace: "delete from ${t.signal} where chain < 0;",
  },
  {
    name: "SQLite, signals: an id counts once in a chain",
    in: "sqlite:signalTables",
    find: "create unique index ${t.signal}_once on ${t.signal} (chain, signal_id) where signal_id is not null",
    replace:
      "create unique index ${t.signal}_once on ${t.signal} (chain, signal_id, position) where signal_id is not null",
  },
  {
    name: "SQLite, signals: the oldest is taken first",
    in: "sqlite:signalStatementsOf",
    find: "taken_by is null and position > ? order by position limit ?",
    replace: "taken_by is null and position > ? order by position desc limit ?",
  },
  {
    name: "SQLite, signals: each is taken once",
    in: "sqlite:signalStatementsOf",
    find: "set taken_by = ? where",
    replace: "set taken_by = iif(? > 0, null, 0) where",
  },
  {
    name: "SQLite, signals: a publication that is kept no longer reaches no one",
    in: "sqlite:signalStatementsOf",
    find: "and until > ?",
    replace: "and until > ? - 1000000000",
  },
  {
    name: "SQLite, signals: a wait without an end is never promoted",
    in: "sqlite:createWaiting",
    find: "until === undefined ? untimed : timed",
    replace: "timed",
  },
  {
    name: "SQLite, signals: a waiting job under limits enters its lane when its wait is over",
    in: "sqlite:createWaiting",
    find: "iif(limits is null, null, 0)",
    replace: "null",
  },
  {
    name: "SQLite, signals: a waiting job is not ready",
    in: "sqlite:jobStatus",
    find: "iif(o.waits is null, 'scheduled', 'waiting')",
    replace: "'scheduled'",
  },
  {
    name: "SQLite, signals: a wait with an end is not counted as scheduled",
    in: "sqlite:createCount",
    find: "-sum(state = 1 and due_at > ?) as scheduled",
    replace: "0 * sum(state = 1 and due_at > ?) as scheduled",
  },
  {
    name: "SQLite, signals: upkeep deletes publications that are kept no longer, in bounded passes",
    in: "sqlite:createForgetPublications",
    find: "order by until limit ?)",
    replace: "order by until limit ? * 0)",
  },
  {
    name: "SQLite, signals: a signal is noted again on a chain whose first one was undone",
    in: "sqlite:createExtras",
    find: "own?.unbroken === store.unbroken && has(own.latest, extra)",
    replace: "own !== undefined && has(own.latest, extra)",
  },
  {
    name: "SQLite, signals: a chain without signals is ended without a statement about them",
    in: "sqlite:createSignalRows",
    find: "extras.mayHave(chain, signalled) ? (statements.count",
    replace: "extras.mayHave(chain, signalled) || true ? (statements.count",
  },
];
