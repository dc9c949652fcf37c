import type { CallOptions, TickedStart, TickItem, TickReply } from "chainwright/adapter";
import { flatten, noStarts } from "../flat-starts.ts";
import { inPlace, resultOf, type ResultRow } from "../result-rows.ts";
import { reasonCodeOf } from "../schedule-rows.ts";
import { call, type Store } from "../store.ts";
import { chainsOf } from "./start.ts";

/** Writes ticks: one call of one function for all items. */
export async function tick<Tx>(
  store: Store<Tx>,
  items: readonly TickItem[],
  options: CallOptions<Tx>,
): Promise<readonly TickReply[]> {
  const flat = noStarts();
  const planned = items.flatMap((each, item) => each.starts.map((start) => ({ ...start, item, of: each })));
  // Each start is a call of its own, so that each can be left out.
  for (const [n, { start }] of planned.entries()) flatten(flat, start, n);
  const ticks = planned.map(({ at, start, item, of: { scheduleId: schedule, advance, overlap } }, n) => {
    return { n, item, schedule, at, chain: start.id, is_gap: advance === undefined, is_skip: overlap === "skip" };
  });
  const skipped = items.flatMap((each, item) =>
    each.skipped.map(({ at, reason }) => ({ item, schedule: each.scheduleId, at, reason: reasonCodeOf(reason) })),
  );
  const parameters = [items.map(flatItem), ticks, skipped, flat.starts].map((list) => JSON.stringify(list));
  const rows = (await call(store, { name: "tick_v1", parameters }, options)).map(resultOf);
  const chains = chainsOf(planned, flat.starts, rows);
  const isTaken = new Set(rows.flatMap((row) => (row.kind === "taken" ? row.n : [])));
  const started = chains.map(([chain]): TickedStart | undefined => chain && { status: "started", chain });
  const starts = rows.reduce(leftOut, started);
  let from = 0;
  return items.map(({ starts: { length } }, n): TickReply => {
    const own = starts.slice(from, (from += length));
    return isTaken.has(n) ? { status: "taken" } : { status: "ticked", starts: inPlace(own, length, "tick") };
  });
}

function leftOut(starts: (TickedStart | undefined)[], row: ResultRow): (TickedStart | undefined)[] {
  if (row.kind === "known") starts[row.n] = { status: "known" };
  if (row.kind === "overlap") starts[row.n] = { status: "overlap", chainId: row.chainId };
  return starts;
}

/** An item as `tick_v1` reads it. Undefined fields are not sent. */
function flatItem({ scheduleId, advance, missed }: TickItem, n: number) {
  return {
    n,
    id: scheduleId,
    missed,
    revision: advance?.revision,
    next: advance?.nextAt,
    new_next: advance?.to,
    last: advance?.lastAt,
    tz: advance?.tzVersion,
  };
}
