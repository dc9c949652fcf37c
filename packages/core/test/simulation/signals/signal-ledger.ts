import type { ErasedDefinition } from "../../../src/worker/processor.ts";
import type { Life } from "../life.ts";

/** What the actors and the handlers of a world have seen. */
export interface SignalLedger {
  /** By the signal's id: what its sender was told. Undefined: the call failed, or its outcome is unknown. */
  readonly sent: Map<string, string | undefined>;
  /** Ids of signals whose transaction was rolled back. */
  readonly undone: Set<string>;
  /** By job: the ids of the signals that its attempts have received, once for each attempt. */
  readonly received: Map<string, (readonly string[])[]>;
  /** By topic: the ids of what was published there. */
  readonly published: Map<string, Set<string>>;
  readonly delivered: Map<string, number>;
}

export function createSignalLedger(): SignalLedger {
  return { sent: new Map(), undone: new Set(), received: new Map(), published: new Map(), delivered: new Map() };
}

export function countDelivered({ delivered }: SignalLedger, what: string): void {
  delivered.set(what, (delivered.get(what) ?? 0) + 1);
}

interface MailContext {
  readonly job: {
    readonly id: string;
    readonly attempt: number;
    readonly input: { readonly turns: number; readonly failures: number };
    readonly received: { readonly signal: string; readonly signalId: string | undefined } | undefined;
    readonly receivedAll: readonly { readonly signal: string; readonly signalId: string | undefined }[];
  };
  continueWith(next: object): unknown;
}

/** A mailbox: it continues with itself until it is told to stop. */
export function processorsOf(life: Life, ledger: SignalLedger): Readonly<Record<string, ErasedDefinition>> {
  const handler = async (context: object): Promise<unknown> => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types of handlers are erased
    const { job, continueWith } = context as MailContext;
    const { turns, failures } = job.input;
    const ids = job.receivedAll.map(({ signalId }) => signalId ?? "stop");
    ledger.received.set(job.id, [...(ledger.received.get(job.id) ?? []), ids]);
    await new Promise<void>((resolve) => void life.clock.setTimer(resolve, 50 * (turns % 4)));
    if (job.attempt <= failures) throw new Error("planned");
    if (job.received === undefined) countDelivered(ledger, "timed out");
    if (job.receivedAll.some(({ signal }) => signal === "stop") || turns > 30) return null;
    const input = { turns: turns + 1, failures: turns % 3 };
    const waitUntil = turns % 2 === 0 ? "forever" : { afterMs: 100 + 400 * (turns % 5) };
    const collect = turns % 4 === 0 ? { letter: 2 } : undefined;
    return continueWith({
      typeName: "mail",
      input,
      waitUntil,
      collect,
      topics: turns % 3 === 0 ? ["news"] : undefined,
    });
  };
  return { mail: { handler, retry: { maxAttempts: 60, backoff: { initialMs: 100 } } } };
}
