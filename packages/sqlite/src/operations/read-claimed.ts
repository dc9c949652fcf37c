import type { Claim, ClaimType, ClaimedBlocker, ClaimedJob } from "chainwright/adapter";
import { corruptError } from "../errors.ts";
import { createClaimedNotes } from "../notes/claimed-notes.ts";
import { limitKeys, receivedOf, waitOf } from "../result-rows.ts";
import { chainIdOf } from "../schema.ts";
import type { Store } from "../store.ts";

/** A claim under way. */
export interface Claiming {
  readonly claim: Claim;
  readonly now: number;
  /** Claimed jobs are added to it. */
  readonly claimed: ClaimedJob[];
}

/** A row of the hot table that was just leased. */
export interface Taken {
  readonly job: number;
  readonly due_at: number;
  readonly attempt: number;
  readonly fence: number;
}

interface ClaimedRow {
  readonly id: string;
  readonly chain_id: string;
  readonly step: number;
  readonly priority: number;
  readonly input: string;
  readonly errors: string | null;
  readonly created_at: number;
  readonly context: string | null;
  readonly blockers: number;
  readonly limits: string | null;
  readonly waits: string | null;
  readonly received: string | null;
  readonly noted: number | null;
}

interface BlockerRow {
  readonly id: string;
  readonly type_name: string;
  readonly input: string;
  readonly version: number | null;
  readonly output: string;
  readonly output_version: number | null;
  readonly created_at: number;
  readonly chain_ended_at: number;
  readonly context: string | null;
}

/** Reads everything that the handler of a claimed job receives. `asked` is what the claim found it by. */
export function createReadClaimed(store: Store): (taken: Taken, asked: ClaimType, now: number) => ClaimedJob {
  const { tables: t } = store;
  const readJob = store.sql<ClaimedRow>(
    `select j.id, ${chainIdOf(t)} as chain_id, j.step, j.priority, j.input, j.errors, j.created_at, j.context,
       j.blockers, j.limits, j.waits, j.received, j.noted
     from ${t.job} j where j.seq = ?`,
  );
  const readBlockers = store.sql<BlockerRow>(
    `select c.id, c.type_name, c.input, c.version, e.output, e.output_version, c.created_at, c.chain_ended_at, c.context
     from ${t.blocker} b join ${t.job} c on c.seq = b.chain join ${t.job} e on e.seq = c.ended_job
     where b.job = ? order by b.position`,
  );
  const notesOf = createClaimedNotes(store);
  return (taken, { typeName, version = 1, pool }, now) => {
    const row = readJob.get(taken.job);
    if (row === undefined) throw corruptError(`job ${taken.job} is ready and is missing`);
    return {
      id: row.id,
      chainId: row.chain_id,
      typeName,
      version,
      pool,
      step: row.step,
      priority: row.priority,
      input: row.input,
      attempt: taken.attempt,
      fence: taken.fence,
      errors: row.errors ?? undefined,
      createdAt: row.created_at,
      waitedMs: Math.max(0, now - taken.due_at),
      context: row.context ?? undefined,
      blockers: row.blockers === 0 ? [] : readBlockers.all(taken.job).map(claimedBlocker),
      limits: limitKeys(row.limits),
      received: row.waits === null ? undefined : receivedOf(row.received),
      collect: row.waits === null ? undefined : waitOf(row.waits).collect,
      ...notesOf(taken.job, row.noted),
    };
  };
}

function claimedBlocker(row: BlockerRow): ClaimedBlocker {
  return {
    chainId: row.id,
    typeName: row.type_name,
    input: row.input,
    version: row.version ?? 1,
    output: row.output,
    outputVersion: row.output_version ?? 1,
    createdAt: row.created_at,
    endedAt: row.chain_ended_at,
    context: row.context ?? undefined,
  };
}
