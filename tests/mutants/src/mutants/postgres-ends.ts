import type { Mutant } from "../mutant.ts";

/** What starts the follow-ups of stopped chains on Postgres: once, in their order, and not before the attempt is over. */
export const postgresEndMutants: readonly Mutant[] = [
  {
    name: "Postgres, ends: what follows a stopped chain waits for the end of its attempt",
    in: "postgres:startFollowUpsFunction",
    find: "greatest(p_now, p_until)",
    replace: "p_now",
  },
  {
    name: "Postgres, ends: what waits for an attempt is not triggered",
    in: "postgres:triggerFunction",
    find: "or (j.follows is not null and o.fence = 0)",
    replace: "",
  },
  {
    name: "Postgres, ends: only the attempt that ran when its chain stopped lets them begin",
    in: "postgres:beginFollowersFunction",
    find: "where j.fence = i.fence and",
    replace: "where",
  },
  {
    name: "Postgres, ends: the last step is undone first",
    in: "postgres:startFollowUpsFunction",
    find: "order by c.step desc, c.position desc",
    replace: "order by c.step, c.position",
  },
  {
    name: "Postgres, ends: a chain that completes starts nothing",
    in: "postgres:followEndsFunction",
    find: "if v_end.chain_status > 1 then",
    replace: "if v_end.chain_status > 0 then",
  },
  {
    name: "Postgres, ends: what has been started is not started again after a retry",
    in: "postgres:withdrawFollowUpsFunction",
    find: "where o.job_id = any(array(select c.follower from ${s}.compensation c where c.chain_id = p_chain and c.follower is not null))",
    replace: "where false",
  },
];
