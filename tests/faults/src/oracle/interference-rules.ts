import { countOf } from "./rule.ts";
import type { Rule } from "./rule.ts";

/** Rules for operators that change running chains, and for handlers that break the rules. */
export const interferenceRules: readonly Rule[] = [
  {
    name: "chains that are gone and were not deleted",
    sql: countOf(`select id from fault_gone g where step = 1 and type <> 'prey.join'
      and not exists (select 1 from fault_said s where s.id = g.id and s.kind = 'deleting')`),
  },
  {
    name: "jobs that are there and gone",
    sql: countOf("select id from fault_gone g where exists (select 1 from fault_job j where j.id = g.id)"),
  },
  { name: "writes of attempts that were over", sql: countOf("select job_id from fault_effect where kind = 'late'") },
  {
    name: "preparations of jobs that had ended",
    sql: countOf("select job_id from fault_effect where kind = 'unfenced'"),
  },
  { name: "calls accepted after their transaction", sql: countOf("select id from fault_said where kind = 'late'") },
  {
    name: "starts that returned the chain of another key",
    sql: countOf(`select s.id from fault_said s where s.kind like 'keyed %'
      and not exists (select 1 from fault_ever j where j.id = s.id and 'keyed ' || j.key = s.kind)`),
  },
];
