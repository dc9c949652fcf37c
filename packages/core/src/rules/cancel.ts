import type { CancelItem, CancelledBlocker, CancelReply } from "../ports/change.ts";
import type { Consequences, Refusal, Reply } from "../ports/reply.ts";
import { createBudget, followEnd } from "./end.ts";
import type { Effects, EndCall } from "./end.ts";
import { noteAttempt } from "./follow-ups.ts";
import { refOf, refused } from "./replies.ts";
import type { Handle, Rows } from "./rows.ts";

/*
 * How chains are cancelled, by a caller or by their deadline.
 *
 * A chain may take the blockers with it that were started inline for its open job, and theirs: those that are active, and for which no
 * open job waits that is not cancelled in the same call. All of them end before anything follows: one that waits for another is cancelled
 * like it, not failed because of it.
 */

interface Ending<Job, Chain> {
  readonly chain: Chain;
  readonly job: Job;
  readonly item: CancelItem;
}

type Endings<Job, Chain> = Map<string, Ending<Job, Chain>>;

export function cancel<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  items: readonly CancelItem[],
  now: number,
): Reply<readonly CancelReply[]> {
  const endings: Endings<Job, Chain> = new Map();
  for (const item of items) {
    const refusal = add(rows, item, endings);
    if (refusal !== undefined) return refused(refusal);
  }
  addBlockers(rows, endings, now);
  const interrupted = new Map<string, string | undefined>();
  for (const { chain, job, item } of endings.values()) {
    interrupted.set(chain.id, rows.workerOf(job, now));
    noteAttempt(rows, { chain, job, now });
    const unsaid = { output: undefined, outputVersion: undefined, errors: undefined, failedBy: undefined };
    rows.end(job, chain, { ...unsaid, status: "cancelled", reason: item.reason, by: "other", now });
  }
  const call: EndCall = { budget: createBudget(), now };
  const replies = new Map<string, GrowingReply>();
  for (const { chain, job, item } of endings.values()) {
    const consequences = followEnd(rows, { chain, status: "cancelled" }, call);
    const end = { ...refOf(rows, job), interrupted: interrupted.get(chain.id) };
    const root = replies.get(item.chainId);
    if (root === undefined) replies.set(item.chainId, replyOf(rows, { chain, end }, consequences));
    else addBlocker(root, end, consequences);
  }
  return { ok: true, value: [...replies.values()] };
}

/** The reply about a chain, to which the blockers that end with it are added. */
interface GrowingReply extends Omit<CancelReply, keyof Effects | "blockers">, Effects {
  blockers?: CancelledBlocker[];
}

function replyOf<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  { chain, end }: { readonly chain: Chain; readonly end: CancelledBlocker },
  { unblocked, failed, reblocked, awaited, followUps, releasing }: Consequences,
): GrowingReply {
  return {
    ...end,
    entry: rows.ends.entryOf(chain),
    unblocked: [...unblocked],
    failed: [...failed],
    reblocked,
    ...(awaited && { awaited: [...awaited] }),
    ...(followUps && { followUps: [...followUps] }),
    releasing,
  };
}

function addBlocker(reply: GrowingReply, end: CancelledBlocker, more: Consequences): void {
  (reply.blockers ??= []).push(end);
  reply.unblocked.push(...more.unblocked);
  reply.failed.push(...more.failed);
  if (more.awaited !== undefined) (reply.awaited ??= []).push(...more.awaited);
  if (more.followUps !== undefined) (reply.followUps ??= []).push(...more.followUps);
  reply.releasing ||= more.releasing;
}

function add<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  item: CancelItem,
  endings: Endings<Job, Chain>,
): Refusal | undefined {
  const { chainId: id } = item;
  const chain = rows.chain(id);
  if (chain === undefined) return { code: "chain-not-found", id };
  const actual = endings.has(id) ? "cancelled" : rows.chainStatusOf(chain);
  if (actual !== "active") return { code: "chain-not-active", id, actual };
  endings.set(id, { chain, job: rows.lastJob(chain), item });
  return undefined;
}

/** Adds the blockers that end with the chains. One that another chain needs is looked at again once that chain ends as well. */
function addBlockers<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  endings: Endings<Job, Chain>,
  now: number,
): void {
  const kept = new Map<string, { readonly chain: Chain; readonly item: CancelItem }>();
  const look = ({ job, item }: Ending<Job, Chain>): void => {
    if (item.blockers !== "cancel" || rows.jobStatusOf(job, now) !== "blocked") return;
    for (const chain of rows.ends.ownBlockersOf(job)) if (!endings.has(chain.id)) kept.set(chain.id, { chain, item });
  };
  for (const ending of endings.values()) look(ending);
  for (let grows = kept.size > 0; grows;) {
    grows = false;
    for (const [id, { chain, item }] of kept) {
      if (isNeeded(rows, chain, endings)) continue;
      kept.delete(id);
      const ending = { chain, job: rows.lastJob(chain), item };
      endings.set(id, ending);
      look(ending);
      grows = true;
    }
  }
}

/** Whether an open job waits for a blocker that does not end in this call. */
function isNeeded<Job extends Handle, Chain extends Handle>(
  rows: Rows<Job, Chain>,
  blocker: Chain,
  endings: Endings<Job, Chain>,
): boolean {
  return rows
    .chainsBlockedBy(blocker)
    .some((chain) => !endings.has(chain.id) && rows.chainStatusOf(chain) === "active");
}
