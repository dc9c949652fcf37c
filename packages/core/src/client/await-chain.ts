import { ChainwrightError } from "../model/error.ts";
import type { ChainRecord } from "../model/record.ts";
import type { Timer } from "../ports/clock.ts";
import { readAttemptErrors } from "../engine/attempt-errors.ts";
import { coalesce } from "../engine/coalesce.ts";
import { deferred } from "../engine/deferred.ts";
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

/** All waits of a client, by chain. */
interface Waits {
  readonly engine: Engine;
  readonly byChain: Map<string, Set<Wait>>;
  readonly fetchChain: (id: string) => Promise<ChainRecord | undefined>;
  readonly pollMs: number;
  listening: Promise<() => void> | undefined;
  timer: Timer | undefined;
}

export function createChainWaits(engine: Engine): ChainWaits {
  const waits: Waits = {
    engine,
    byChain: new Map(),
    fetchChain: coalesce((ids) => engine.state.getChains(ids, engine.callOptions()), { maxItems: maxLookups }),
    pollMs: engine.hasNotifyAdapter ? pollMs.withHints : pollMs.withoutHints,
    listening: undefined,
    timer: undefined,
  };
  return {
    async untilEnded(id, options) {
      options.signal?.throwIfAborted();
      // Subscribe, then look, then wait: an end between two of these is not missed.
      await listen(waits);
      return await untilEnded(waits, id, options);
    },
    close() {
      const error = new ChainwrightError("closed", "the client was closed while a chain was awaited.");
      for (const id of Array.from(waits.byChain.keys())) tell(waits, id, (wait) => wait.reject(error));
      waits.timer?.cancel();
    },
  };
}

function listen(waits: Waits): Promise<() => void> {
  return (waits.listening ??= waits.engine.hub.listen({
    onHints(hints) {
      for (const hint of hints)
        if (hint.kind === "ended" && waits.byChain.has(hint.chainId)) void look(waits, hint.chainId);
    },
    onLook: () => lookAtAll(waits),
  }));
}

async function untilEnded(waits: Waits, id: string, { timeoutMs, signal }: WaitOptions): Promise<ChainRecord> {
  const { promise, resolve, reject } = deferred<ChainRecord>();
  const wait: Wait = { resolve, reject };
  const onAbort = (): void => reject(signal?.reason);
  const timeout =
    timeoutMs === undefined ? undefined : waits.engine.clock.setTimer(() => reject(timedOut(id, timeoutMs)), timeoutMs);
  signal?.addEventListener("abort", onAbort, { once: true });
  add(waits, id, wait);
  void look(waits, id);
  try {
    return await promise;
  } finally {
    timeout?.cancel();
    signal?.removeEventListener("abort", onAbort);
    remove(waits, id, wait);
  }
}

function add(waits: Waits, id: string, wait: Wait): void {
  const others = waits.byChain.get(id);
  if (others === undefined) waits.byChain.set(id, new Set([wait]));
  else others.add(wait);
  keepPolling(waits);
}

function remove(waits: Waits, id: string, wait: Wait): void {
  const others = waits.byChain.get(id);
  others?.delete(wait);
  if (others?.size === 0) waits.byChain.delete(id);
  if (waits.byChain.size > 0) return;
  waits.timer?.cancel();
  waits.timer = undefined;
}

async function look(waits: Waits, id: string): Promise<void> {
  try {
    const chain = await waits.fetchChain(id);
    if (chain === undefined) tell(waits, id, (wait) => wait.reject(notFound(id)));
    else if (chain.status !== "active") tell(waits, id, (wait) => wait.resolve(chain));
  } catch {
    // The store is away; the next poll looks again.
  }
}

function lookAtAll(waits: Waits): void {
  for (const id of waits.byChain.keys()) void look(waits, id);
}

function tell(waits: Waits, id: string, how: (wait: Wait) => void): void {
  const told = waits.byChain.get(id);
  waits.byChain.delete(id);
  for (const wait of told ?? []) how(wait);
}

/** One timer for all waits, should a hint be lost. */
function keepPolling(waits: Waits): void {
  if (waits.byChain.size === 0) return;
  waits.timer ??= waits.engine.clock.setTimer(() => {
    waits.timer = undefined;
    lookAtAll(waits);
    keepPolling(waits);
  }, waits.pollMs);
}

/** The output of a chain that completed; the error of one that did not. */
export function endedOrThrow(chain: ChainRecord): ChainRecord {
  if (chain.status === "completed") return chain;
  if (chain.status === "cancelled") {
    const why = chain.reason === undefined ? "" : `: ${chain.reason}`;
    throw new ChainwrightError("chain-cancelled", `chain ${chain.id} ("${chain.typeName}") was cancelled${why}.`, {
      details: { id: chain.id },
    });
  }
  const error = readAttemptErrors(chain.errors).at(-1);
  throw new ChainwrightError(
    "chain-failed",
    `chain ${chain.id} ("${chain.typeName}") failed: ${error?.message ?? "no error was recorded"}`,
    {
      details: { id: chain.id, error },
    },
  );
}

function notFound(id: string): ChainwrightError {
  return new ChainwrightError(
    "chain-not-found",
    `there is no chain ${id}: it was never started, was rolled back, or has been deleted.`,
  );
}

function timedOut(id: string, timeoutMs: number): ChainwrightError {
  return new ChainwrightError(
    "await-timeout",
    `chain ${id} has not ended within ${timeoutMs} ms; it goes on without this wait.`,
    {
      details: { id },
    },
  );
}
