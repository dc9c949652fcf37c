import type { Mutant } from "../mutant.ts";

/** Keep SQLite's chains from stopping without what follows, and from being undone twice or too early. */
export const sqliteEndMutants: readonly Mutant[] = [
  {
    name: "SQLite, ends: a chain that the last release ends is found by upkeep",
    in: "sqlite:endTriggersOf",
    find: "set stopped = iif(new.chain_status = 'active', null, 1)",
    replace: "set stopped = null",
  },
  {
    name: "SQLite, ends: what follows starts once",
    in: "sqlite:createEnds",
    find: "if (extras.mayHave(chain, ending)) unmark.run(chain.seq);",
    replace: "",
  },
  {
    name: "SQLite, ends: what follows an end of the last release starts once",
    in: "sqlite:createLateEnds",
    find: "unmark.run(chain.seq);",
    replace: "",
  },
  {
    name: "SQLite, ends: what follows a cancellation of the last release waits for the attempt",
    in: "sqlite:endTriggersOf",
    find: "when old.leased_until is not null",
    replace: "when old.leased_until < 0",
  },
  {
    name: "SQLite, ends: an attempt that ended its chain under the last release is waited for no longer",
    in: "sqlite:createLateEnds",
    find: "chain.ended_by === null ?",
    replace: "chain.seq > 0 ?",
  },
  {
    name: "SQLite, ends: the last release does not retry a chain whose follow-ups have started",
    in: "sqlite:endTriggersOf",
    find: "old.chain_status in ('failed', 'cancelled') and new.chain_status = 'active'",
    replace: "old.chain_status = 'completed' and new.chain_status = 'active'",
  },
  {
    name: "SQLite, ends: what is on record goes with the chain",
    in: "sqlite:endTriggersOf",
    find: "delete from ${t.ending} where chain = old.seq;",
    replace: "delete from ${t.ending} where chain < 0;",
  },
  {
    name: "SQLite, ends: what was recorded in the same call is seen",
    in: "sqlite:createExtras",
    find: "has(extras, extra) || has(noted.get(seq)?.extras ?? null, extra)",
    replace: "has(extras, extra)",
  },
  {
    name: "SQLite, ends: what passed is before what the step recorded",
    in: "sqlite:endReadsOf",
    find: "order by step, own, position",
    replace: "order by step, own desc, position",
  },
  {
    name: "SQLite, ends: what passes later is behind",
    in: "sqlite:endWritesOf",
    find: "+ (select coalesce(max(position), 0) from ${t.compensation}",
    replace: "- (select coalesce(max(position), 0) from ${t.compensation}",
  },
  {
    name: "SQLite, ends: blockers that existed before are not the chain's own",
    in: "sqlite:createInsert",
    find: "isOwn ? 1 : null",
    replace: "1",
  },
  {
    name: "SQLite, ends: only deadlines that have passed count",
    in: "sqlite:endReadsOf",
    find: "where d.at <= ?",
    replace: "where d.at <= ? + 1000000000",
  },
  {
    name: "SQLite, ends: retention leaves a stopped chain while a follow-up is open",
    in: "sqlite:createRemoveExpired",
    find: "if (has(chain.extras, ending) && follow.get(chain.seq) !== undefined) return false;",
    replace: "",
  },
];
