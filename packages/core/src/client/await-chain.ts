import { ChainwrightError } from "../model/error.ts";
import type { ChainRecord } from "../model/record.ts";
import type { Timer } from "../ports/clock.ts";
import { readAttemptErrors } from "../engine/attempt-errors.ts";
import { coalesce } from "../engine/coalesce.ts";
import type { Engine } from "../engine/engine.ts";

/** Waits for chains to end: however many, on the client's one subscription and one backstop poll. */
export interface ChainWaits {
  /** The chain once it has ended, whatever became of it. */
  untilEnded(id: string, options: WaitOptions): Promise<ChainRecord>;
  /** Rejects all that still wait with `closed`. */
  close(): void;
}

export interface WaitOptions {
  /** Undefined: for as long as it takes. */
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal | undefined;
}

interface Wait {
  readonly resolve: (chain: ChainRecord) => void;
  readonly reject: (error: unknown) => void;
}

/** The most chains looked up in one statement. */
const maxLookups = 500;
/** Time between two looks at everything that is awaited, should a hint be lost. */
const pollMs = { withHints: 5_000, withoutHints: 500 };

export function createChainWaits(engine: Engine): ChainWaits {
  const { clock, hub } = engine;
  const waits = new Map<string, Set<Wait>>();
  const fetchChain = coalesce((ids: readonly string[]) => engine.state.getChains(ids, engine.callOptions()), { maxItems: maxLookups });
  const everyMs = engine.hasNotifyAdapter ? pollMs.withHints : pollMs.withoutHints;
  let listening: Promise<() => void> | undefined;
  let timer: Timer | undefined;

  const look = async (id: string): Promise<void> => {
    try {
      const chain = await fetchChain(id);
      if (chain === undefined) tell(id, (wait) => wait.reject(notFound(id)));
      else if (chain.status !== "active") tell(id, (wait) => wait.resolve(chain));
    } catch {
      // The store is away; the next poll looks again.
    }
  };
  const tell = (id: string, how: (wait: Wait) => void): void => {
    const told = waits.get(id);
    waits.delete(id);
    for (const wait of told ?? []) how(wait);
  };
  const lookAtAll = (): void => {
    for (const id of waits.keys()) void look(id);
  };
  const poll = (): void => {
    timer = undefined;
    lookAtAll();
    keepPolling();
  };
  const keepPolling = (): void => {
    if (waits.size > 0) timer ??= clock.setTimer(poll, everyMs);
  };
  const listen = (): Promise<() => void> =>
    (listening ??= hub.listen({
      onHints(hints) {
        for (const hint of hints) if (hint.kind === "ended" && waits.has(hint.chainId)) void look(hint.chainId);
      },
      onLook: lookAtAll,
    }));
  const remove = (id: string, wait: Wait): void => {
    const others = waits.get(id);
    others?.delete(wait);
    if (others?.size === 0) waits.delete(id);
    if (waits.size > 0) return;
    timer?.cancel();
    timer = undefined;
  };

  return {
    async untilEnded(id, { timeoutMs, signal }) {
      signal?.throwIfAborted();
      // Subscribe, then look, then wait: an end between two of these is not missed.
      await listen();
      let timeout: Timer | undefined;
      let onAbort: (() => void) | undefined;
      let added: Wait | undefined;
      try {
        return await new Promise<ChainRecord>((resolve, reject) => {
          const wait: Wait = { resolve, reject };
          added = wait;
          waits.set(id, (waits.get(id) ?? new Set()).add(wait));
          if (timeoutMs !== undefined) timeout = clock.setTimer(() => reject(timedOut(id, timeoutMs)), timeoutMs);
          onAbort = () => reject(signal?.reason);
          signal?.addEventListener("abort", onAbort, { once: true });
          keepPolling();
          void look(id);
        });
      } finally {
        timeout?.cancel();
        if (onAbort !== undefined) signal?.removeEventListener("abort", onAbort);
        if (added !== undefined) remove(id, added);
      }
    },
    close() {
      const error = new ChainwrightError("closed", "the client was closed while a chain was awaited.");
      for (const id of [...waits.keys()]) tell(id, (wait) => wait.reject(error));
      timer?.cancel();
    },
  };
}

/** The output of a chain that completed; the error of one that did not. */
export function endedOrThrow(chain: ChainRecord): ChainRecord {
  if (chain.status === "completed") return chain;
  if (chain.status === "cancelled") {
    const why = chain.reason === undefined ? "" : `: ${chain.reason}`;
    throw new ChainwrightError("chain-cancelled", `chain ${chain.id} ("${chain.typeName}") was cancelled${why}.`, { details: { id: chain.id } });
  }
  const error = readAttemptErrors(chain.errors).at(-1);
  throw new ChainwrightError("chain-failed", `chain ${chain.id} ("${chain.typeName}") failed: ${error?.message ?? "no error was recorded"}`, {
    details: { id: chain.id, error },
  });
}

function notFound(id: string): ChainwrightError {
  return new ChainwrightError("chain-not-found", `there is no chain ${id}: it was never started, was rolled back, or has been deleted.`);
}

function timedOut(id: string, timeoutMs: number): ChainwrightError {
  return new ChainwrightError("await-timeout", `chain ${id} has not ended within ${timeoutMs} ms; it goes on without this wait.`, {
    details: { id },
  });
}
