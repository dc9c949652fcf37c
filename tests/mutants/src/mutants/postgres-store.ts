import type { Mutant } from "../mutant.ts";

const functions = "packages/postgres/src/functions";
const operations = "packages/postgres/src/operations";

/** The protections of the SQL that the Postgres adapter installs. */
export const postgresStoreMutants: readonly Mutant[] = [
  {
    name: "Postgres, a cancelled attempt may not settle",
    file: `${operations}/cancel.ts`,
    find: "delete from ${s}.open_job o using unnest(v_n, v_job, v_reason) as",
    replace: "update ${s}.open_job o set state = o.state from unnest(v_n, v_job, v_reason) as",
  },
  {
    name: "Postgres, lease: it runs out",
    file: `${operations}/claim.ts`,
    find: "leased_until = v_now + t.lease,",
    replace: "leased_until = v_now + 1000 * t.lease,",
  },
  {
    name: "Postgres, lease: what others hold is not claimed",
    file: `${operations}/claim.ts`,
    find: "          and o.leased_until <= v_now\n",
    replace: "",
  },
  {
    name: "Postgres, claim: skip locked",
    file: `${operations}/claim.ts`,
    find: "order by o.position limit v_left for update skip locked) c",
    replace: "order by o.position limit v_left for update) c",
  },
  {
    name: "Postgres, claim: the attempt is counted",
    file: `${operations}/claim.ts`,
    find: "attempt = o.attempt + 1",
    replace: "attempt = greatest(o.attempt, 1)",
  },
  {
    name: "Postgres, claim: nothing before it is due",
    file: `${operations}/claim.ts`,
    find: "select o.ctid from ${s}.open_job o where o.state = 1 and o.due_at <= v_now\n",
    replace: "select o.ctid from ${s}.open_job o where o.state = 1\n",
  },
  {
    name: "Postgres, exchange: settles before it claims",
    file: `${operations}/settle.ts`,
    find: "[...settling, ...more]",
    replace: "[...more, ...settling]",
  },
  {
    name: "Postgres, retry: the backoff",
    file: `${operations}/settle.ts`,
    find: "        state = case when i.due_at > v_now then 1 else 0 end\n",
    replace: "        state = 0\n",
  },
  {
    name: "Postgres, fan-in: counted down under the dependent's row lock",
    file: `${functions}/follow.ts`,
    find: `          blockers_left = o.blockers_left - h.chains,
          state = case when o.blockers_left > h.chains then 2 when`,
    replace: `          blockers_left = (select x.blockers_left from \${s}.open_job x where x.job_id = o.job_id) - h.chains,
          state = case when (select x.blockers_left from \${s}.open_job x where x.job_id = o.job_id) > h.chains then 2 when`,
  },
  {
    name: "Postgres, fan-in: a blocker named twice counts once",
    file: `${functions}/follow.ts`,
    find: "select distinct on (b.job_id) b.job_id, b.position from ${s}.blocker b",
    replace: "select b.job_id, b.position from ${s}.blocker b",
  },
  {
    name: "Postgres, fan-in: a start locks the chains that it waits for",
    file: `${functions}/link.ts`,
    find: "  perform from ${s}.job j where j.id = any(v_awaited) order by j.id for share;\n",
    replace: "",
  },
  {
    name: "Postgres, fan-in: starts that wait for one chain share the lock on it",
    file: `${functions}/link.ts`,
    find: "where j.id = any(v_awaited) order by j.id for share;",
    replace: "where j.id = any(v_awaited) order by j.id for no key update;",
  },
  {
    name: "Postgres, fan-in: the end of a chain is not kept waiting by those that come later",
    file: `${functions}/one.ts`,
    find: '${leave(s, closeGate("o.chain_id"))}',
    replace: "${leave(s)}",
  },
  {
    name: "Postgres, fan-in: chains are locked in the order of their ids",
    file: `${functions}/link.ts`,
    find: "where j.id = any(v_awaited) order by j.id for share;",
    replace: "where j.id = any(v_awaited) order by j.id desc for share;",
  },
  {
    name: "Postgres, fan-in: a retry locks the chains that it waits for",
    file: `${functions}/reopen.ts`,
    find: "  order by f.id for share;\n",
    replace: "  ;\n",
  },
  {
    name: "Postgres, blockers: the lock that finds a ring closed from two sides",
    file: `${functions}/link.ts`,
    find: "    perform from ${s}.job j where j.id = any(v_edge) order by j.id for share;\n",
    replace: "",
  },
  {
    name: "Postgres, blockers: the failure of one outcome is passed on",
    file: `${functions}/one.ts`,
    find: "case when v_status = 2 then array[v_open.chain_id] end",
    replace: "null::uuid[]",
  },
  {
    name: "Postgres, blockers: a failure is passed on, a batch of outcomes",
    file: `${functions}/settle-ended.ts`,
    find: "follow_v1(p_now, v_completed, v_completed_n, v_broken, v_broken_n)",
    replace: "follow_v1(p_now, v_completed, v_completed_n, null, null)",
  },
  {
    name: "Postgres, blockers: a failure is passed on all the way up",
    file: `${functions}/follow.ts`,
    find: "v_errors, v_attempt, v_fence, null, null, v_cause, null) c;",
    replace: "v_errors, v_attempt, v_fence, null, null, v_cause, null) c;\n    exit;",
  },
  {
    name: "Postgres, blockers: a cancelled one is passed on",
    file: `${operations}/cancel.ts`,
    find: "if v_broken is not null then",
    replace: "if false then",
  },
  {
    name: "Postgres, deduplication: a key that is taken",
    file: `${functions}/begin.ts`,
    find: "continue when v_start.key is null or not live[v_start.n + 1];",
    replace: "continue;",
  },
  {
    name: "Postgres, deduplication: the window",
    file: `${functions}/keys.ts`,
    find: "(d.until <= p_now or",
    replace: "(d.until < 0 or",
  },
  {
    name: "Postgres, deduplication: a key is free when its chain ends, one outcome",
    file: `${functions}/one.ts`,
    find: "if v_chain.key_scope = 0 then",
    replace: "if false then",
  },
  {
    name: "Postgres, deduplication: a key is free when its chain ends, a batch of outcomes",
    file: `${functions}/close.ts`,
    find: "if v_keys is not null then",
    replace: "if false then",
  },
  {
    name: "Postgres, deduplication: a chain's end frees no other chain's key, one outcome",
    file: `${functions}/one.ts`,
    find: "where d.key = v_chain.key and d.chain_id = v_open.chain_id;",
    replace: "where d.key = v_chain.key;",
  },
  {
    name: "Postgres, deduplication: a chain's end frees no other chain's key, a batch of outcomes",
    file: `${functions}/close.ts`,
    find: " and d.chain_id = h.chain_id;",
    replace: ";",
  },
  {
    name: "Postgres, deduplication: a retried chain does not take a key that another has",
    file: `${operations}/retry.ts`,
    find: "      if v_holder is not null then",
    replace: "      if false then",
  },
  {
    name: "Postgres, from outside: the open step is locked",
    file: `${operations}/settle.ts`,
    find: "where o.job_id = open_step_v1.job_id for update;",
    replace: "where o.job_id = open_step_v1.job_id;",
  },
  {
    name: "Postgres, retention: what others wait for stays",
    file: "packages/postgres/src/upkeep/retention.ts",
    find: 'where ${isOne("b.chain_id", "f.id")} and j.status <> 1));',
    replace: 'where ${isOne("b.chain_id", "f.id")} and j.status < 0));',
  },
  {
    name: "Postgres, remove: what others wait for stays",
    file: `${operations}/remove.ts`,
    find: "exit when v_next = '{}';",
    replace: "exit;",
  },
  {
    name: "Postgres, savepoint: an id that is taken leaves the caller's transaction usable",
    file: `${functions}/one.ts`,
    find: "exception when unique_violation then\n  return null;",
    replace: "",
  },
  {
    name: "Postgres, savepoint: a refused outcome takes no other with it",
    file: `${functions}/settle-ended.ts`,
    find: "when sqlstate '${refusalState}' then",
    replace: "when sqlstate 'XX999' then",
  },
  {
    name: "Postgres, isolation: a call by itself runs read committed",
    file: `${functions}/function.ts`,
    find: "    if ${seesThePast} then\n      raise",
    replace: "    if false then\n      raise",
  },
];
