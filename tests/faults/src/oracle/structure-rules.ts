import { countOf } from "./rule.ts";
import type { Rule } from "./rule.ts";

/** Rules that hold at every moment, also while chains run. */
export const structureRules: readonly Rule[] = [
  {
    name: "jobs without their chain",
    sql: countOf(`select id from fault_job j
      where not exists (select 1 from fault_job c where c.id = j.chain_id and c.step = 1)`),
  },
  {
    name: "open jobs without their chain",
    sql: countOf(`select id from fault_open o
      where not exists (select 1 from fault_job c where c.id = o.chain_id and c.step = 1)`),
  },
  {
    name: "active chains without an open job",
    sql: countOf(`select id from fault_job c
      where c.chain_status = 'active' and not exists (select 1 from fault_open o where o.chain_id = c.id)`),
  },
  {
    name: "chains with two open jobs",
    sql: countOf("select chain_id from fault_open group by chain_id having count(*) > 1"),
  },
];
