import type { CallOptions, Reply, ScheduleChange } from "chainwright/adapter";
import { refusalOf, resultOf } from "../result-rows.ts";
import { call, type Store } from "../store.ts";

/** Creates, changes and deletes schedules. */
export async function changeSchedules<Tx>(
  store: Store<Tx>,
  changes: readonly ScheduleChange[],
  options: CallOptions<Tx>,
): Promise<Reply<readonly (number | undefined)[]>> {
  const parameters = [JSON.stringify(changes.map(flatChange))];
  const rows = (await call(store, { name: "change_schedules_v1", parameters }, options)).map(resultOf);
  const revisions = new Map<number, number | undefined>();
  for (const row of rows) {
    if (row.kind === "refused") return { ok: false, refusal: refusalOf(row) };
    if (row.kind === "changed") revisions.set(row.n, row.revision);
  }
  return { ok: true, value: changes.map((_, n) => revisions.get(n)) };
}

/** A change as `change_schedules_v1` reads it. Undefined fields are not sent. */
function flatChange({ id, from, to }: ScheduleChange, n: number) {
  return {
    n,
    id,
    is_new: from === undefined,
    is_deleted: to === undefined,
    revision: from?.revision,
    next: from?.nextAt,
    type: to?.typeName,
    owner: to?.owner,
    declared: to?.declared,
    override: to?.override,
    paused_at: to?.pausedAt,
    paused_reason: to?.pausedReason,
    new_next: to?.nextAt,
    tz: to?.tzVersion,
  };
}
