import type { AttemptSignal } from "chainwright";

/** A door that stays shut until somebody opens it. */
export interface Gate {
  readonly passed: Promise<void>;
  open(): void;
}

export function createGate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { passed: promise, open: resolve };
}

/** Resolves when a signal has aborted, with its reason's code. */
export function abortOf(signal: AttemptSignal): Promise<string> {
  return new Promise((resolve) => {
    const tell = (): void => resolve(signal.reason?.code ?? "no reason");
    if (signal.aborted) tell();
    else signal.addEventListener("abort", tell, { once: true });
  });
}
