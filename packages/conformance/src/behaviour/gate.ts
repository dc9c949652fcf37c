import type { AttemptSignal } from "chainwright";

/** A promise that a case resolves when it lets a handler continue. */
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
    const report = (): void => resolve(signal.reason?.code ?? "no reason");
    if (signal.aborted) report();
    else signal.addEventListener("abort", report, { once: true });
  });
}
