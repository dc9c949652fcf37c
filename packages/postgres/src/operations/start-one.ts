import { ownClaimName, type CallOptions, type JobStart, type StartCall } from "chainwright/adapter";
import type { Schema } from "../schema.ts";
import { momentParameter, type Store } from "../store.ts";

/**
 * Begins one chain that is due at once, without blockers, deduplication, tags, version and pool, as most starts are. One prepared statement takes
 * 37 us of server time where `start_plain_v1` takes 50. The transaction gets its id before its position, see `underWay`.
 *
 * It returns no row if the id is taken. All names are qualified, because no function sets the search path here. The isolation
 * level does not matter: it looks for no row.
 */
export function startOneText({ quoted: s, positions }: Schema): string {
  return `with first_job as (
  insert into ${s}.job (id, chain_id, step, type_name, priority, on_blocker_failure, status, chain_status, attempt, position,
    created_at, input, context)
  values ($1::uuid, $1::uuid, 1, $2::text, $3::smallint, $4::smallint, 0, 0, 0,
    case when pg_catalog.pg_current_xact_id() is not null then pg_catalog.nextval(${positions}) end,
    coalesce($8::double precision,
      pg_catalog.floor(pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()) operator(pg_catalog.*) 1000)),
    $5::text, $6::text)
  on conflict (id) do nothing
  returning position, created_at)
insert into ${s}.open_job (job_id, chain_id, position, due_at, leased_until, step, attempt, blockers_left, state, rank,
  has_blockers, type_name)
select $1::uuid, $1::uuid, j.position, j.created_at, 0, 1, 0, 0, 0, $7::smallint, false, $2::text
from first_job j
returning due_at::bigint`;
}

/** The start that `startOne` may begin. */
export function onlyPlainStart<Tx>(calls: readonly StartCall[], options: CallOptions<Tx>): JobStart | undefined {
  const [only, otherCall] = calls;
  const [start, otherStart] = only?.starts ?? [];
  if (start === undefined || otherStart !== undefined || otherCall !== undefined) return undefined;
  const { blockers, deduplication, tags, schedule, limits, waits, signals, whenStopped, deadline } = start;
  const isPlain =
    blockers.length === 0 &&
    deduplication === undefined &&
    tags === undefined &&
    schedule === undefined &&
    limits === undefined &&
    waits === undefined &&
    signals === undefined &&
    whenStopped === undefined &&
    deadline === undefined &&
    ownClaimName(start) === undefined;
  const isAlone = options.tx === undefined && options.waitMs === undefined;
  return isPlain && isAlone ? start : undefined;
}

/** Returns the moment of the start; undefined if the id is taken. */
export async function startOne<Tx>(
  store: Store<Tx>,
  start: JobStart,
  moment: number | undefined,
): Promise<number | undefined> {
  const { id, typeName, input, priority, onBlockerFailure, context } = start;
  const [row] = await store.run(undefined, {
    text: store.startOneText,
    parameters: [
      id,
      typeName,
      String(priority),
      onBlockerFailure === "wait" ? "1" : "0",
      input,
      context ?? null,
      String(~priority),
      momentParameter(moment),
    ],
    prepare: true,
  });
  return row === undefined ? undefined : Number(row[0]);
}
