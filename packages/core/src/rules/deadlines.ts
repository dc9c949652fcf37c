import type { CancelReply } from "../ports/change.ts";
import { cancel } from "./cancel.ts";
import type { Handle, Rows } from "./rows.ts";

/*
 * A chain that is active at its deadline is cancelled then, with the reason `deadline`, and with it the blockers that it started for
 * itself. Claims do it, if they ask for it; each cancels a bounded number. A chain that has ended has no deadline, also after a retry.
 */

const deadlineReason = "deadline";

/** How many chains a claim cancels. */
const mostAtOnce = 100;

/** What a claim with `deadlines` has done, and when the next deadline is. */
export interface Expiry {
  readonly expired: readonly CancelReply[] | undefined;
  readonly nextInMs: number | undefined;
}

export function expireDeadlines<Job extends Handle, Chain extends Handle>(rows: Rows<Job, Chain>, now: number): Expiry {
  const next = rows.ends.nextDeadlineAt();
  if (next === undefined) return { expired: undefined, nextInMs: undefined };
  if (next > now) return { expired: undefined, nextInMs: next - now };
  const overdue = rows.ends.overdue(now, mostAtOnce);
  const items = overdue.map(({ id }) => ({ chainId: id, reason: deadlineReason, blockers: "cancel" }) as const);
  const reply = cancel(rows, items, now);
  if (!reply.ok) throw new TypeError(`the store must return active chains for deadlines; ${reply.refusal.id} is not.`);
  const after = rows.ends.nextDeadlineAt();
  return { expired: reply.value, nextInMs: after === undefined ? undefined : Math.max(0, after - now) };
}
