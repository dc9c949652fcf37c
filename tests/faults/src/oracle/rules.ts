import { interferenceRules } from "./interference-rules.ts";
import { noteRules } from "./note-rules.ts";
import { countOf } from "./rule.ts";
import type { Rule } from "./rule.ts";
import { structureRules } from "./structure-rules.ts";

const ended = "('completed', 'failed', 'cancelled')";
/** Steps that leave an effect when a worker completes them. */
const leaving =
  "('line.atomic', 'line.staged', 'branch', 'branch.left', 'branch.end', 'loop', 'join', 'join.again', 'part', 'keyed', 'keyed.end', 'stumble', 'broken', 'long')";

/** Rules that hold when all chains have ended. */
export const rules: readonly Rule[] = [
  ...structureRules,
  ...interferenceRules,
  ...noteRules,
  {
    name: "effects applied twice",
    sql: countOf("select job_id from fault_effect where kind = 'ended' group by job_id having count(*) > 1"),
  },
  {
    name: "effects lost",
    sql: countOf(`select id from fault_job j where status = 'completed' and type in ${leaving}
      and not exists (select 1 from fault_effect e where e.job_id = j.id and e.kind = 'ended')`),
  },
  {
    name: "effects of a step that has not completed",
    sql: countOf(`select job_id from fault_effect e where e.kind = 'ended'
      and not exists (select 1 from fault_ever j where j.id = e.job_id and j.status = 'completed')`),
  },
  {
    name: "effects of another attempt than the one that completed",
    sql: countOf(`select job_id from fault_effect e join fault_ever j on j.id = e.job_id
      where e.kind = 'ended' and e.attempt <> j.attempt`),
  },
  {
    name: "steps completed without their preparation",
    sql: countOf(`select id from fault_job j where status = 'completed' and type in ('line.atomic', 'line.staged')
      and not exists (select 1 from fault_effect e where e.job_id = j.id and e.kind = 'prepared')`),
  },
  {
    name: "preparations of an atomic step that did not complete",
    sql: countOf(`select job_id from fault_effect e join fault_job j on j.id = e.job_id
      where e.kind = 'prepared' and j.type = 'line.atomic' and (j.status <> 'completed' or e.attempt <> j.attempt)`),
  },
  {
    name: "acknowledged starts lost",
    sql: countOf(`select id from fault_said s where kind = 'acknowledged'
      and not exists (select 1 from fault_ever j where j.id = s.id)`),
  },
  {
    name: "starts of transactions that rolled back",
    sql: countOf(`select id from fault_said s where kind = 'doomed'
      and exists (select 1 from fault_ever j where j.id = s.id)`),
  },
  {
    name: "chains started in a step's transaction and lost",
    sql: countOf(`select spawned from fault_effect e where spawned is not null
      and not exists (select 1 from fault_job j where j.id = e.spawned)`),
  },
  {
    name: "chains started by an attempt that did not complete",
    sql: countOf(`select id from fault_job j where type = 'spawned'
      and not exists (select 1 from fault_effect e where e.spawned = j.id)`),
  },
  { name: "chains not ended", sql: countOf("select id from fault_job where chain_status = 'active'") },
  {
    name: "jobs not ended of chains that have",
    sql: countOf(`select j.id from fault_job j join fault_job c on c.id = j.chain_id
      where c.chain_status <> 'active' and j.status not in ${ended}`),
  },
  {
    name: "jobs that ended twice",
    sql: countOf(`select job_id from fault_change where before = 'completed' and after <> before
      or before in ('failed', 'cancelled') and after in ${ended} and after <> before`),
  },
  {
    name: "chains that ended twice",
    sql: countOf(`select job_id from fault_change where chain_before = 'completed' and chain_after <> chain_before
      or chain_before in ('failed', 'cancelled') and chain_after in ${ended} and chain_after <> chain_before`),
  },
  { name: "joins that began early", sql: countOf("select job_id from fault_effect where kind = 'early'") },
  { name: "keys with two live chains", sql: countOf("select job_id from fault_effect where kind = 'shared'") },
  { name: "keys never freed", sql: countOf("select key from fault_key") },
  {
    name: "chains that failed without a reason",
    sql: countOf("select id from fault_job where chain_status = 'failed' and type <> 'poison'"),
  },
  {
    name: "poisonous jobs that did not fail",
    sql: countOf("select id from fault_job where type = 'poison' and status <> 'failed'"),
  },
  {
    name: "chains that are cancelled and no one cancelled",
    sql: countOf("select id from fault_job where chain_status = 'cancelled' and type <> 'parked'"),
  },
  {
    name: "chains with steps missing or repeated",
    sql: countOf(`select chain_id from fault_job group by chain_id
      having count(*) <> max(step) or count(distinct step) <> count(*)`),
  },
  {
    name: "loops of another length than asked for",
    sql: countOf(
      "select chain_id from fault_job where type = 'loop' group by chain_id having count(*) <> 1 + max(rounds) or min(rounds) <> 0",
    ),
  },
];
