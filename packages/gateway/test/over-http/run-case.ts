import { AsyncLocalStorage } from "node:async_hooks";

/** One case under way: what it asked of gateways, and why it cannot go over HTTP. */
export interface CaseRun {
  requests: number;
  /** Ends the requests that are under way when the case is given up. */
  readonly ending: AbortController;
  /** The first thing that HTTP does not carry. */
  outOfReach: string | undefined;
  readonly onOutOfReach: (reason: string) => void;
}

const runs = new AsyncLocalStorage<CaseRun>();

/** What became of a case. `outOfReach`: why it ended before its rule was checked. */
export type CaseEnd = { readonly outOfReach: string } | { readonly outOfReach: undefined; readonly requests: number };

/**
 * Runs a case over HTTP. It is given up with the first thing that HTTP does not carry: then it ends by itself later, which `left` resolves
 * with.
 */
export async function runCase(
  run: () => Promise<void>,
): Promise<{ readonly end: CaseEnd; readonly left: Promise<unknown> }> {
  const { promise: givenUp, resolve } = Promise.withResolvers<string>();
  const state: CaseRun = {
    requests: 0,
    ending: new AbortController(),
    outOfReach: undefined,
    onOutOfReach: resolve,
  };
  const running = runs.run(state, run);
  const left = running.catch(() => undefined);
  const outcome = await Promise.race([
    givenUp,
    running.then(
      () => state.outOfReach,
      (error: unknown) => {
        if (state.outOfReach === undefined) throw error;
        return state.outOfReach;
      },
    ),
  ]);
  if (outcome === undefined) return { end: { outOfReach: undefined, requests: state.requests }, left };
  return { end: { outOfReach: outcome }, left };
}

/** The case that this code was called from. */
export function thisCase(): CaseRun {
  const state = runs.getStore();
  if (state === undefined) throw new Error("clients and workers over HTTP are made within a case.");
  return state;
}

/** Gives the case up. */
export function outOfReach(state: CaseRun, reason: string): never {
  state.outOfReach ??= reason;
  state.onOutOfReach(state.outOfReach);
  state.ending.abort(new Error(`out of reach: ${reason}`));
  throw new Error(`out of reach: ${reason}`);
}
