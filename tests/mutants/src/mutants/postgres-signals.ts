import type { Mutant } from "../mutant.ts";

/** What makes signals and the steps that wait for them meet on Postgres. */
export const postgresSignalMutants: readonly Mutant[] = [
  {
    name: "Postgres, signals: a signal locks its chain",
    in: "postgres:lockFirstRows",
    find: "order by f.id for no key update) f;",
    replace: "order by f.id) f;",
  },
  {
    name: "Postgres, signals: a wait begins under the lock of its chain",
    in: "postgres:lockChains",
    find: " or e.n = any(v_calls)",
    replace: "",
  },
  {
    name: "Postgres, signals: a signal locks the job that waits",
    in: "postgres:lockWaitingJobs",
    find: "order by o.chain_id for update);",
    replace: "order by o.chain_id);",
  },
  {
    name: "Postgres, signals: a wait takes the oldest signal first",
    in: "postgres:takeSignals",
    find: "g.taken_by is null order by g.position",
    replace: "g.taken_by is null order by g.position desc",
  },
  {
    name: "Postgres, signals: a publication locks its topic",
    in: "postgres:lockTopicsFunction",
    find: "if p_publishes then",
    replace: "if false then",
  },
  {
    name: "Postgres, signals: a wait whose time is over takes no more signals",
    in: "postgres:makeReadyFunction",
    find: "waits = case when o.waits is not null then false end",
    replace: "waits = o.waits",
  },
  {
    name: "Postgres, signals: a job whose time is over leaves its topics",
    in: "postgres:makeReadyFunction",
    find: "delete from ${s}.topic t where t.job_id = any(v_waited);",
    replace: "null;",
  },
  {
    name: "Postgres, signals: a transaction that sees the past does not begin to wait beside a signal",
    in: "postgres:writeSignals",
    find: "(f.signals is null or c.is_left)",
    replace: "f.signals is null",
  },
];
