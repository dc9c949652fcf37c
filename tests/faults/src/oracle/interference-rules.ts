import { countOf } from "./rule.ts";
import type { Rule } from "./rule.ts";

/** What may not come of it that somebody interferes with chains at work, and that handlers do not keep to the rules. */
export const interferenceRules: readonly Rule[] = [
  {
    name: "chains gone that nobody deleted",
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
    name: "starts answered with the chain of another key",
    sql: countOf(`select s.id from fault_said s where s.kind like 'keyed %'
      and not exists (select 1 from fault_ever j where j.id = s.id and 'keyed ' || j.key = s.kind)`),
  },
];
