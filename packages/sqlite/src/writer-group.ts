import { ChainwrightError } from "chainwright";
import { isBusy, translate } from "./errors.ts";
import { reportLongCallback, rollBack } from "./long-callback.ts";
import { pause } from "./pause.ts";
import type { Line, Member, Resolve } from "./writer-line.ts";
import { call, callBack, type Result } from "./writer-work.ts";

/** A member whose work is done but not yet committed. */
interface Served {
  readonly resolve: Resolve;
  readonly reject: (error: unknown) => void;
}

export async function serveGroup<Tx extends object>(line: Line<Tx>): Promise<void> {
  const served: Served[] = [];
  let current: Member<Tx> | undefined;
  try {
    const openedAt = performance.now();
    for (let next = line.waiting[0]; next !== undefined; next = line.waiting[0]) {
      const isFirst = current === undefined;
      if (!isFirst && mustCommitBefore(line, next, openedAt)) break;
      current = next;
      line.waiting.shift();
      const { work } = current;
      if (!isFirst) line.savepoint();
      const since = Date.now();
      line.isHeld = work.kind === "callback";
      const result = work.kind === "call" ? call(work.run) : await callBack(line, work);
      line.isHeld = false;
      const goesOn = conclude(line, current, { result, served, isFirst });
      if (work.kind === "callback") reportLongCallback(line, since);
      if (!goesOn) return;
    }
    await commit(line, served);
  } catch (error) {
    // A statement of the writer's own failed, for example a savepoint, so nothing of the group is committed. Rejecting a member
    // twice does no harm.
    rollBack(line);
    rejectAll(current === undefined ? served : [...served, current], { ok: false, error });
  }
}

/** Ends the savepoint around one member's work. Returns whether the group continues; if not, its members have been rejected. */
function conclude<Tx extends object>(
  line: Line<Tx>,
  member: Member<Tx>,
  { result, served, isFirst }: { readonly result: Result; readonly served: Served[]; readonly isFirst: boolean },
): boolean {
  // Some failures (such as a full disk) end the whole transaction, and so does a callback that commits by itself.
  if (!line.database.inTransaction) {
    rejectAll([...served, member], result);
    return false;
  }
  if (result.ok) served.push({ resolve: result.resolve, reject: member.reject });
  else member.reject(result.error);
  if (isFirst && !result.ok) {
    line.rollback();
    return false;
  }
  if (!isFirst) {
    if (!result.ok) line.rollbackMember();
    line.release();
  }
  return true;
}

function mustCommitBefore<Tx extends object>(line: Line<Tx>, next: Member<Tx>, openedAt: number): boolean {
  const { groupMs } = line.options;
  // This group's commit does not wait for the disk.
  if (!line.isDurable && !next.isVolatile) return true;
  if (next.work.kind === "callback" && line.lastCallbackMs > groupMs) return true;
  return performance.now() - openedAt > groupMs;
}

async function commit<Tx extends object>(line: Line<Tx>, served: readonly Served[]): Promise<void> {
  const startedAt = performance.now();
  for (let tries = 1; ; tries += 1) {
    try {
      line.commit();
      break;
    } catch (error) {
      // Without a write-ahead log, a commit waits for the readers.
      if (isBusy(error) && performance.now() - startedAt < line.options.busyTimeoutMs) {
        await pause(tries);
        continue;
      }
      if (line.database.inTransaction) line.rollback();
      const translated = translate(error);
      for (const { reject } of served) reject(translated);
      return;
    }
  }
  for (const { resolve } of served) resolve();
}

/** Called when a transaction has ended with all its work; none of the calls has resolved yet. */
function rejectAll(members: readonly Pick<Served, "reject">[], result: Result): void {
  const error = result.ok
    ? new ChainwrightError(
        "closed",
        "a callback ended its own transaction: return from it to commit, or throw an error to roll back",
      )
    : translate(result.error);
  for (const member of members) member.reject(error);
}
