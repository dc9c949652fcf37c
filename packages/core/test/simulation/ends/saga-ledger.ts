import { FatalError } from "../../../src/model/error.ts";
import type { ErasedDefinition } from "../../../src/worker/processor.ts";
import type { Life } from "../life.ts";

/** What the handlers of a world have done. */
export interface SagaLedger {
  /** By chain: the steps that have had their effect. */
  readonly effects: Map<string, Set<number>>;
  readonly counts: Map<string, number>;
}

export function createSagaLedger(): SagaLedger {
  return { effects: new Map(), counts: new Map() };
}

export function count({ counts }: SagaLedger, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}

/** What the input of a step says of it. */
export interface SagaInput {
  readonly steps: number;
  readonly at: number;
  /** The step that fails for good. 0: none. */
  readonly failsAt: number;
  readonly handlerMs: number;
}

interface SagaContext {
  readonly job: { readonly chainId: string; readonly attempt: number; readonly input: SagaInput };
  continueWith(next: object): unknown;
  compensateWith(item: object): Promise<void>;
}

/** A chain of steps, each with an effect that is recorded before; what undoes a step; and what follows a chain that stops. */
export function processorsOf(life: Life, ledger: SagaLedger): Readonly<Record<string, ErasedDefinition>> {
  const pause = (ms: number) => new Promise<void>((resolve) => void life.clock.setTimer(resolve, ms));
  const saga = async (context: object): Promise<unknown> => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types of handlers are erased
    const { job, continueWith, compensateWith } = context as SagaContext;
    const { chainId, attempt, input } = job;
    const { steps, at, failsAt, handlerMs } = input;
    await pause(handlerMs);
    await compensateWith({ typeName: "undo", input: { chainId, step: at } });
    const effects = ledger.effects.get(chainId) ?? new Set();
    ledger.effects.set(chainId, effects.add(at));
    await pause(handlerMs * 2);
    if (failsAt === at) throw new FatalError("planned");
    if (attempt === 1 && at % 2 === 1) throw new Error("planned");
    if (at === steps) return null;
    return continueWith({ typeName: "saga", input: { ...input, at: at + 1 } });
  };
  const once = async (context: object): Promise<null> => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types of handlers are erased
    const { job } = context as SagaContext;
    await pause(50);
    if (job.attempt === 1) throw new Error("planned");
    return null;
  };
  const retry = { maxAttempts: 60, backoff: { initialMs: 100, maxMs: 2_000 } };
  return { saga: { handler: saga, retry }, undo: { handler: once, retry }, sorry: { handler: once, retry } };
}
