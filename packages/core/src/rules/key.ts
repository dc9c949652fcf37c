import { servesStartsOnly } from "../model/held-key.ts";
import type { JobStart } from "../model/job-start.ts";
import { dueAt } from "../model/schedule.ts";
import type { Handle, Key, Rows } from "./rows.ts";

/*
 * Who holds a deduplication key: one chain at a time. A key of scope `active` is free when its chain ends, a key of scope `any`
 * when its chain is deleted; either is free once its window has passed. Keys of `debounce` and `throttle` serve starts only: see
 * `gather.ts`. Neither an end nor a retry of the chain needs them, so a start that has one locked holds up no worker.
 */

/** The key that a chain is started with. */
export function keyFor({ deduplication, schedule }: JobStart, now: number): Key | undefined {
  if (deduplication === undefined) return undefined;
  const { key, scope } = deduplication;
  if (scope === "debounce") return { key, scope, until: now + deduplication.maxWaitMs };
  if (scope === "throttle") {
    const due = schedule === undefined ? now : dueAt(schedule, now);
    return { key, scope, until: due + deduplication.perMs };
  }
  const { windowMs } = deduplication;
  return { key, scope, until: windowMs === undefined ? undefined : now + windowMs };
}

export function freeKeyAtEnd<Job extends Handle, Chain extends Handle>(rows: Rows<Job, Chain>, chain: Chain): void {
  if (rows.keyOf(chain)?.scope === "active") rows.freeKey(chain);
}

/** Another chain that has taken the key of an ended one since. */
export function rivalOf<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  chain: Chain,
  now: number,
): Chain | undefined {
  const key = currentKeyOf(rows, chain, now);
  const holder = key && rows.keyHolder(key.key, now)?.chain;
  return holder === undefined || holder.id === chain.id ? undefined : holder;
}

/** For a chain without a rival that is active again. */
export function takeKeyBack<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  chain: Chain,
  now: number,
): void {
  if (currentKeyOf(rows, chain, now) !== undefined) rows.takeKey(chain);
}

function currentKeyOf<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  chain: Chain,
  now: number,
): Key | undefined {
  const key = rows.keyOf(chain);
  if (key === undefined || servesStartsOnly(key)) return undefined;
  return key.until !== undefined && key.until <= now ? undefined : key;
}
