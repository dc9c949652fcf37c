import type { Mutant } from "../mutant.ts";

/** What keeps jobs under limits within them on Postgres, and lets no place lie idle. */
export const postgresLimitMutants: readonly Mutant[] = [
  {
    name: "Postgres, limits: each job gets a place of its own",
    in: "postgres:matchByGate",
    find: "v_set_at := v_set_at || ${rows}[v_next];",
    replace: "v_set_at := v_set_at || ${rows}[1];",
  },
  {
    name: "Postgres, limits: a place that is given back opens a lane that waits for it",
    in: "postgres:givesBackTo",
    find: "order by l.type_name, l.rank, l.turn limit 1)",
    replace: "order by l.type_name, l.rank, l.turn limit 0)",
  },
  {
    name: "Postgres, limits: a closed lane whose limit was raised opens at its moment",
    in: "postgres:lookAtLanes",
    find: "and exists (select from ${s}.place p where p.gate = any(array[g.gate]) and p.n = ${placesOfGate}) as is_full",
    replace: "as is_full",
  },
  {
    name: "Postgres, limits: a claim that leaves events asks to look again at once",
    in: "postgres:leaseLanesFunction",
    find: "v_again or v_has_more_events",
    replace: "v_again",
  },
  {
    name: "Postgres, limits: jobs above a lowered limit count",
    in: "postgres:placesOf",
    find: 'case when exists (select from ${s}.place p where p.gate = g.gate and p.n > g.most and ${isHeld("p")})',
    replace: "case when false",
  },
  {
    name: "Postgres, limits: old statistics make no claim read the places of all keys",
    in: "postgres:isHeld",
    find: "`(${place}.job_id is null) is false`",
    replace: "`${place}.job_id is not null`",
  },
  {
    name: "Postgres, limits: a claim at known places puts more jobs into the inbox than it takes",
    in: "postgres:makeDueJobsReady",
    find: "if v_filled is not null and v_start_at is not null then",
    replace: "if false then",
  },
  {
    name: "Postgres, limits: a job of the inbox does not take a place for which another key waits",
    in: "postgres:readLanes",
    find: "l.state = 0 and not l.gates && v_busy",
    replace: "l.state = 0",
  },
  {
    name: "Postgres, limits: a job of the inbox comes after those that wait in its lane",
    in: "postgres:readLanes",
    find: "l.state = 0 and not l.gates && v_busy",
    replace: "not l.gates && v_busy",
  },
  {
    name: "Postgres, limits: keys take turns in an old backlog",
    in: "postgres:isOld",
    find: "o.due_at <= p_now - ${longestMs}",
    replace: "false",
  },
  {
    name: "Postgres, limits: a key with many jobs in the inbox takes turns",
    in: "postgres:lookWhetherUneven",
    find: "if not v_is_uneven and cardinality(v_rows) = v_most then",
    replace: "if false then",
  },
  {
    name: "Postgres, limits: open lanes have their share of the slots beside the inbox",
    in: "postgres:seeLanes",
    find: "v_left - v_turns",
    replace: "v_left",
  },
  {
    name: "Postgres, limits: jobs of a key that has one at a time begin in their order beside other claims",
    in: "postgres:findLanesBehind",
    find: "if v_has_others then",
    replace: "if false then",
  },
  {
    name: "Postgres, limits: an uneven backlog goes into lanes by the thousand",
    in: "postgres:mostAtOnce",
    find: "const mostAtOnce = 2_000;",
    replace: "const mostAtOnce = 100;",
  },
  {
    name: "Postgres, limits: a claim reads no jobs that are not due",
    in: "postgres:firstDue",
    find: " limit ${most}) o`",
    replace: ") o`",
  },
  {
    name: "Postgres, limits: a claim reads the inbox up to its last job",
    in: "postgres:earlier",
    find: "p.rank = v_inbox_rank and p.position <= v_inbox_position",
    replace: "(p.rank, p.position) <= (v_inbox_rank, v_inbox_position)",
  },
  {
    name: "Postgres, limits: jobs that go into their lanes are not compared with each other",
    in: "postgres:moveJobs",
    find: "where p.ctid = o.at and p.job_id = o.job_id",
    replace: "where p.job_id = o.job_id",
  },
  {
    name: "Postgres, limits: a claim remembers where the inbox begins",
    in: "postgres:startOf",
    find: "Math.min(...names.map((name) => inbox.get(name) ?? 0))",
    replace: "0",
  },
  {
    name: "Postgres, limits: old statistics make no claim read all lanes",
    in: "postgres:isNamed",
    find: "${lane}.type_name ${otherCollation} = ${name}",
    replace: "${lane}.type_name = ${name}",
  },
  {
    name: "Postgres, limits: a lane that gave fewer jobs than its share keeps its turn",
    in: "postgres:shareOutTurns",
    find: "case when c.credit > 0 then c.credit",
    replace: "case when false then c.credit",
  },
  {
    name: "Postgres, limits: a half-open gate is locked while it is given its probe",
    in: "postgres:mayProbeFunction",
    find: " for update skip locked",
    replace: "",
  },
  {
    name: "Postgres, limits: a probe that is put off is replaced",
    in: "postgres:mayProbeFunction",
    find: "o.job_id = v_probe and o.state <= 0",
    replace: "o.job_id = v_probe",
  },
  {
    name: "Postgres, limits: a late failure does not close a key again",
    in: "postgres:countFailure",
    find: "coalesce(v_rule.probe = v_change.job::uuid, false)",
    replace: "true",
  },
  {
    name: "Postgres, limits: a job that has kept its place waits for a probe of its key",
    in: "postgres:chooseKeptProbe",
    find: "v_rule.shut := 'Infinity';",
    replace: "v_rule.shut := null;",
  },
];
