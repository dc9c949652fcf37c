import type { Claim, PausedType, PauseRequest } from "chainwright/adapter";
import type { Data } from "./data.ts";

export function setPauses({ pauses: stored }: Data, { pauses, resume }: PauseRequest, now: number): void {
  for (const { forMs, ...said } of pauses)
    stored.set(said.typeName, { ...said, pausedAt: now, until: forMs === undefined ? undefined : now + forMs });
  for (const typeName of resume) stored.delete(typeName);
}

/** A pause whose time has passed is none. */
export function listPauses({ pauses }: Data, _request: undefined, now: number): readonly PausedType[] {
  return [...pauses.values()]
    .filter(({ until }) => until === undefined || until > now)
    .map((pause) => ({ ...pause, endsInMs: pause.until === undefined ? undefined : pause.until - now }))
    .toSorted((a, b) => (a.typeName < b.typeName ? -1 : 1));
}

/** A claim without the paused types, and when the first of their pauses ends. */
export function withoutPaused(
  data: Data,
  claim: Claim,
  now: number,
): { readonly claim: Claim; readonly endsAt: number } {
  const paused = listPauses(data, undefined, now).filter((pause) =>
    claim.types.some(({ typeName }) => typeName === pause.typeName),
  );
  const types = claim.types.filter(({ typeName }) => !paused.some((pause) => pause.typeName === typeName));
  return { claim: { ...claim, types }, endsAt: Math.min(Infinity, ...paused.map(({ until }) => until ?? Infinity)) };
}
