import type { Mutant } from "../mutant.ts";

/** Keep what SQLite's attempts have noted for later attempts, and for no other jobs. */
export const sqliteNoteMutants: readonly Mutant[] = [
  {
    name: "SQLite, notes: the first memo of a name stays",
    in: "sqlite:noteStatementsOf",
    find: "on conflict (job, name) do nothing",
    replace: "on conflict (job, name) do update set value = excluded.value",
  },
  {
    name: "SQLite, notes: claims read the memos of a job that has some",
    in: "sqlite:createClaimedNotes",
    find: "if (noted !== 1) return undefined;",
    replace: "if (noted !== 0) return undefined;",
  },
  {
    name: "SQLite, notes: the oldest lines go",
    in: "sqlite:noteStatementsOf",
    find: "order by seq limit ?",
    replace: "order by seq desc limit ?",
  },
  {
    name: "SQLite, notes: the memos of completed jobs are forgotten",
    in: "sqlite:noteTriggersOf",
    find: "when old.noted = 1 and new.status = 'completed'",
    replace: "when old.noted = 2 and new.status = 'completed'",
  },
  {
    name: "SQLite, notes: those of failed jobs stay",
    in: "sqlite:noteTriggersOf",
    find: "when old.noted = 1 and new.status = 'completed'",
    replace: "when old.noted = 1 and new.status = 'failed'",
  },
];
