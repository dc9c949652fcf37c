import { countOf } from "./rule.ts";
import type { Rule } from "./rule.ts";

/** What long handlers were told is on record. */
export const noteRules: readonly Rule[] = [
  {
    name: "results of once that changed after it had resolved",
    sql: countOf(`select job_id from fault_effect where kind = 'remembered'
      group by job_id, name having count(distinct value) > 1`),
  },
  {
    name: "writes of once in a transaction that were applied twice",
    sql: countOf("select job_id from fault_effect where kind = 'once' group by job_id, name having count(*) > 1"),
  },
  {
    name: "writes of once in a transaction that were lost",
    sql: countOf(`select job_id from fault_effect e where kind = 'remembered' and name like 'write %'
      and not exists (select 1 from fault_effect w
        where w.kind = 'once' and w.job_id = e.job_id and w.name = e.name and w.value = e.value)`),
  },
  {
    name: "checkpoints that were saved, and that a later attempt did not have",
    sql: countOf("select job_id from fault_effect where kind = 'saved' group by job_id, name having count(*) > 1"),
  },
];
