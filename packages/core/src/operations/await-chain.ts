import { ChainwrightError, isChainwrightError } from "../model/error.ts";
import type { ChainRecord } from "../model/record.ts";
import type { Timer } from "../ports/clock.ts";
import { readAttemptErrors } from "../checks/attempt-errors.ts";
import { coalesce } from "../timing/coalesce.ts";
import { createTimeLimit } from "../timing/time-limit.ts";
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

/** A chain that somebody waits for. */
interface Awaited {
  readonly waits: Set<Wait>;
  looking: boolean;
  /** Somebody came, or something was heard, while it was looked at. */
  lookAgain: boolean;
}

/** The most chains looked up in one statement. */
const maxLookups = 500;
/** A look that takes longer has nobody at the other end; the next poll looks again. */
const lookLimitMs = 30_000;
/** Time between two looks at everything that is awaited, should a hint be lost. */
const pollMs = { withHints: 1_000, withoutHints: 500 };

/** All waits of a client, by chain. */
interface Waits {
  readonly engine: Engine;
  readonly byChain: Map<string, Awaited>;
  readonly fetchChain: (id: string) => Promise<ChainRecord | undefined>;
  readonly pollMs: number;
  isListening: boolean;
  timer: Timer | undefined;
}

export function createChainWaits(engine: Engine): ChainWaits {
  const { clock, state, callOptions } = engine;
  const timeLimit = createTimeLimit(clock, { limitMs: lookLimitMs, who: "the store" });
  const getChains = (ids: readonly string[]) => timeLimit(() => state.getChains(ids, callOptions()));
  const waits: Waits = {
    engine,
    byChain: new Map(),
    fetchChain: coalesce(getChains, { clock, maxItems: maxLookups }),
    pollMs: engine.hub.health === undefined ? pollMs.withoutHints : pollMs.withHints,
    isListening: false,
    timer: undefined,
  };
  return {
    async untilEnded(id, options) {
      options.signal?.throwIfAborted();
      // It looks at once, and again when the subscription is open: an end between the two is not missed, and a broker that
      // hangs delays no one.
      listen(waits);
      return await untilEnded(waits, id, options);
    },
    close() {
      const error = new ChainwrightError("closed", "the client was closed while a chain was awaited.");
      for (const id of Array.from(waits.byChain.keys())) tell(waits, id, (wait) => wait.reject(error));
      waits.timer?.cancel();
    },
  };
}

function listen(waits: Waits): void {
  if (waits.isListening) return;
  waits.isListening = true;
  waits.engine.hub.listen({
    onHints(hints) {
      for (const hint of hints) if (hint.kind === "ended") void look(waits, hint.chainId);
    },
    onLook() {
      for (const id of waits.byChain.keys()) void look(waits, id);
    },
    onMeeting() {},
  });
}

async function untilEnded(waits: Waits, id: string, { timeoutMs, signal }: WaitOptions): Promise<ChainRecord> {
  const { promise, resolve, reject } = Promise.withResolvers<ChainRecord>();
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
  const awaited = waits.byChain.get(id);
  if (awaited === undefined) waits.byChain.set(id, { waits: new Set([wait]), looking: false, lookAgain: false });
  else awaited.waits.add(wait);
  keepPolling(waits);
}

function remove(waits: Waits, id: string, wait: Wait): void {
  const awaited = waits.byChain.get(id);
  awaited?.waits.delete(wait);
  if (awaited?.waits.size === 0) waits.byChain.delete(id);
  if (waits.byChain.size > 0) return;
  waits.timer?.cancel();
  waits.timer = undefined;
}

/** One look at a time for each chain, and another where something happened meanwhile. */
async function look(waits: Waits, id: string): Promise<void> {
  const awaited = waits.byChain.get(id);
  if (awaited === undefined) return;
  awaited.lookAgain = awaited.looking;
  if (awaited.looking) return;
  awaited.looking = true;
  do {
    awaited.lookAgain = false;
    await lookOnce(waits, id);
  } while (awaited.lookAgain && waits.byChain.get(id) === awaited);
  awaited.looking = false;
}

async function lookOnce(waits: Waits, id: string): Promise<void> {
  try {
    const chain = await waits.fetchChain(id);
    if (chain === undefined) tell(waits, id, (wait) => wait.reject(notFound(id)));
    else if (chain.status !== "active") tell(waits, id, (wait) => wait.resolve(chain));
  } catch (error) {
    // Closed for good; from anything else the store may recover, and the next poll looks again.
    if (isChainwrightError(error, "closed")) tell(waits, id, (wait) => wait.reject(error));
  }
}

/** Those that are being looked at will answer, or the next poll looks again. */
function lookAtAll(waits: Waits): void {
  for (const [id, { looking }] of waits.byChain) if (!looking) void look(waits, id);
}

function tell(waits: Waits, id: string, how: (wait: Wait) => void): void {
  const awaited = waits.byChain.get(id);
  waits.byChain.delete(id);
  for (const wait of awaited?.waits ?? []) how(wait);
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
