import type { Mutant } from "../mutant.ts";

/** Keep an instant of a schedule from starting two chains or none. The rules of the stores with one writer are in the core. */
export const postgresScheduleMutants: readonly Mutant[] = [
  {
    name: "Postgres, schedules: the primary key of ticks",
    in: "postgres:createSchedules",
    find: "constraint tick_pkey primary key (schedule_id, at)",
    replace: "constraint tick_pkey primary key (schedule_id, at, made_at, chain_id)",
  },
  {
    name: "Postgres, schedules: a tick begins only where there is none",
    in: "postgres:putOnRecord",
    find: "where t.chain_id is null and t.schedule_id = any(v_gaps)",
    replace: "where true",
  },
  {
    name: "Postgres, schedules: a tick compares the next tick with that of the store",
    in: "postgres:lockSchedules",
    find: "s.revision = i.revision and s.next_at = i.next and",
    replace: "s.revision = i.revision and",
  },
  {
    name: "Postgres, schedules: a tick compares the revision",
    in: "postgres:lockSchedules",
    find: "s.revision = i.revision and",
    replace: "",
  },
  {
    name: "Postgres, schedules: it is due by the store's clock, not by that of a worker",
    in: "postgres:lockSchedules",
    find: "and s.next_at <= v_now)",
    replace: ")",
  },
  {
    name: "Postgres, schedules: a tick waits for no lock",
    in: "postgres:lockSchedules",
    find: "for update skip locked) l",
    replace: "for update) l",
  },
  {
    name: "Postgres, schedules: no start while the chain before is active",
    in: "postgres:leaveOut",
    find: "and f.chain_status = 0);",
    replace: "and f.chain_status = 9);",
  },
  {
    name: "Postgres, schedules: what upkeep has forgotten is not filled",
    in: "postgres:isForgotten",
    find: "k.at between s.forgotten_from and s.forgotten_until",
    replace: "k.at < s.forgotten_from and k.at > s.forgotten_until",
  },
  {
    name: "Postgres, schedules: paused ones are in no index of ticks to come",
    in: "postgres:createSchedules",
    find: "(next_at, id) where paused_at is null and next_at is not null",
    replace: "(next_at, id)",
  },
  {
    name: "Postgres, schedules: of two creations one is refused",
    in: "postgres:write",
    find: "raise exception 'created meanwhile' using errcode = '${createdState}';",
    replace: "v_created := 0;",
  },
];

export const sqliteScheduleMutants: readonly Mutant[] = [
  {
    name: "SQLite, schedules: the primary key of ticks",
    in: "sqlite:scheduleTables",
    find: "primary key (schedule_id, at)",
    replace: "primary key (schedule_id, at, made_at)",
  },
  {
    name: "SQLite, schedules: paused ones are not looked at",
    in: "sqlite:ticking",
    find: "paused_at is null and next_at is not null",
    replace: "next_at is not null",
  },
];
