import type { Consequences, JobRef, StartedJob, UnusedSignals } from "chainwright/adapter";
import { refOf, startedJobOf, type ResultRow } from "./result-rows.ts";
import { mostAtOnce } from "./rules/release.ts";

/** What follows from the end of a chain, filled as the result rows are read. */
export interface Effects extends Consequences {
  readonly unblocked: StartedJob[];
  readonly failed: JobRef[];
  awaited?: string[];
  unused?: UnusedSignals[];
  followUps?: StartedJob[];
  releasing: boolean;
}

export function noEffects(): Effects & { readonly reblocked: JobRef[] } {
  return { unblocked: [], failed: [], reblocked: [], releasing: false };
}

/** A row of `release_v1`. */
export type EffectRow = ResultRow<"unblocked" | "failed" | "awaited" | "releasing" | "locked">;

const effectKinds: ReadonlySet<string> = new Set<EffectRow["kind"]>([
  "unblocked",
  "failed",
  "awaited",
  "releasing",
  "locked",
]);

export function isEffect(row: ResultRow): row is EffectRow {
  return effectKinds.has(row.kind);
}

/** Adds a row to the effects of the outcome or item that it is about. */
export function addEffect(effects: Effects | undefined, row: EffectRow): void {
  if (effects === undefined) return;
  if (row.kind === "unblocked" && row.followUp === 1) (effects.followUps ??= []).push(startedJobOf(row));
  else if (row.kind === "unblocked") effects.unblocked.push(startedJobOf(row));
  else if (row.kind === "failed") effects.failed.push(refOf(row));
  else if (row.kind === "awaited") addEnd(effects, row);
  else effects.releasing = true;
}

function addEnd(effects: Effects, { chainId, unused = 0, isNoted }: ResultRow<"awaited">): void {
  if (isNoted === 1) (effects.awaited ??= []).push(chainId);
  if (unused > 0) (effects.unused ??= []).push({ chainId, count: unused });
}

export interface Released {
  readonly released: Consequences;
  /** Set if other transactions have locked jobs that are left: milliseconds until another try makes sense. */
  readonly againInMs: number | undefined;
}

/** How long to leave alone what another transaction has locked. */
const lockedForMs = 1_000;

/** From the rows of `resume_release_v2`, which have the number -1. */
export function releasedOf(rows: readonly ResultRow[]): Released {
  const released = noEffects();
  let [taken, locked, isCut] = [undefined as number | undefined, 0, false];
  for (const row of rows) {
    if (row.kind === "resumed") taken = row.taken;
    if (!isEffect(row) || row.n !== -1) continue;
    if (row.kind === "locked") locked += 1;
    else if (row.kind === "releasing") isCut = true;
    else addEffect(released, row);
  }
  // A whole batch of locked jobs is no reason to try again at once.
  released.releasing = isCut || (taken === mostAtOnce && locked < taken);
  // If nothing was taken, another call is releasing, and it may not finish.
  return { released, againInMs: locked > 0 || taken === 0 ? lockedForMs : undefined };
}
