import type { Mutant } from "../mutant.ts";

/** Keeps a read and the write that relies on it together when another call comes between them. */
export const postgresOverlapMutants: readonly Mutant[] = [
  {
    name: "Postgres, overlap: a deletion holds the open step",
    in: "postgres:holdChainsFunction",
    find: "select f.job_id into v_job from ${s}.open_step_v1(v_chain, null) f where f.refusal is null;",
    replace: `select coalesce(
        (select j.id from \${s}.job j where j.chain_id = v_chain and j.step > 1 order by j.step desc limit 1), v_chain) into v_job;`,
  },
  {
    name: "Postgres, overlap: a deletion looks again at a chain that was retried meanwhile",
    in: "postgres:holdChainsFunction",
    find: "exit when not exists (",
    replace: "exit when true or not exists (",
  },
  {
    name: "Postgres, overlap: a deletion leaves a chain that waits no longer",
    in: "postgres:removeFunction",
    find: 'v_edge := array(${dependents(s, "any(v_edge)")} and j.chain_id = any(v_next));',
    replace: "v_edge := v_next;",
  },
  {
    name: "Postgres, overlap: the chain that holds a key stays until the start has its reply",
    in: "postgres:takeKeysFunction",
    find: "order by f.id for key share);",
    replace: "order by f.id);",
  },
  {
    name: "Postgres, overlap: a key whose chain was deleted meanwhile is looked at again",
    in: "postgres:takeKeysFunction",
    find: "exit when v_gone = '{}';",
    replace: "exit;",
  },
  {
    name: "Postgres, overlap: a retry blocks again only what is still there and still failed",
    in: "postgres:reblockFunction",
    find: "continue when not found;",
    replace: "",
  },
  {
    name: "Postgres, deduplication: a chain that fails as it begins frees its key for the next start",
    in: "postgres:beginStarts",
    find: "if v_in_turn then raise",
    replace: "if false then raise",
  },
];
