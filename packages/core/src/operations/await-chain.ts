import { ChainwrightError, isChainwrightError } from "../model/error.ts";
import type { ChainRecord, JobRecord } from "../model/record.ts";
import { backoffMs } from "../model/backoff.ts";
import type { Timer } from "../ports/clock.ts";
import { createTimeLimit } from "../timing/time-limit.ts";
import { errorPhrase } from "../model/error-text.ts";
import { checkDuration } from "../checks/check-options.ts";
import { readAttemptErrors } from "../checks/attempt-errors.ts";
import type { Engine } from "../engine/engine.ts";
import { createAwaitedReads, type AwaitedReads } from "./awaited-reads.ts";
import { lastStep } from "./last-step.ts";
import { errorOfRecord, failureSentence } from "./recorded-error.ts";

/** Waits for any number of chains to end, on one subscription and one poll of the client. */
export interface ChainWaits {
  /** Resolves with the chain when it has completed, failed or been cancelled. */
  untilEnded(id: string, options: WaitOptions): Promise<ChainRecord>;
  /** Rejects all open waits with `closed`. */
  close(): void;
}

export interface WaitOptions {
  /** Undefined: without a limit. */
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal | undefined;
}

interface Wait {
  readonly resolve: (chain: ChainRecord) => void;
  readonly reject: (error: unknown) => void;
}

/** A chain with open waits. */
interface Awaited {
  readonly waits: Set<Wait>;
  looking: boolean;
  /** The store has noted that this process awaits the chain, so that its end is announced. */
  isNoted: boolean;
  /** Another try to note it: another transaction had locked the chain's row. */
  nextTry: Timer | undefined;
  tries: number;
  /** A wait was added, or a hint arrived, while the chain was looked up. */
  lookAgain: boolean;
}

/** So that a caller that sets no limit, such as the handler of a request, does not wait for a chain that never ends. */
const defaultWaitMs = 60_000;

/** The limit of a wait in milliseconds; undefined: there is none. The clock of a test may leap over any limit that the test has not set. */
export function waitLimitOf({ clock }: Pick<Engine, "clock">, timeoutMs: number | undefined): number | undefined {
  const limitMs = timeoutMs ?? (clock.virtual ? Infinity : defaultWaitMs);
  return limitMs === Infinity ? undefined : checkDuration(limitMs, "timeoutMs");
}

/** The time between two looks at all awaited chains, because a hint may be lost. */
const pollMs = { withHints: 1_000, withoutHints: 500 };
/** When a chain that could not be noted is looked up again; its end may be under way. */
const tryAgain = { initialMs: 10, multiplier: 2, maxMs: 1_000, jitter: 0 };

/** All waits of a client, by chain. */
interface Waits {
  readonly engine: Engine;
  readonly byChain: Map<string, Awaited>;
  readonly reads: AwaitedReads;
  readonly pollMs: number;
  isListening: boolean;
  timer: Timer | undefined;
}

export function createChainWaits(engine: Engine): ChainWaits {
  const waits: Waits = {
    engine,
    byChain: new Map(),
    reads: createAwaitedReads(engine),
    pollMs: engine.hub.health === undefined ? pollMs.withoutHints : pollMs.withHints,
    isListening: false,
    timer: undefined,
  };
  return {
    async untilEnded(id, options) {
      options.signal?.throwIfAborted();
      // It looks at once, and again when the subscription is open: an end between the two is not missed, and a broker that
      // hangs delays nothing.
      listen(waits);
      return await untilEnded(waits, id, options);
    },
    close() {
      const error = new ChainwrightError("closed", "the client was closed while a chain was awaited.");
      for (const id of Array.from(waits.byChain.keys())) endWaits(waits, id, (wait) => wait.reject(error));
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
  const { clock } = waits.engine;
  const onTimeout = (): void => void timedOut(waits.engine, id, timeoutMs).then(reject);
  const timeout = timeoutMs === undefined ? undefined : clock.setTimer(onTimeout, timeoutMs);
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
  if (awaited === undefined) {
    waits.byChain.set(id, createAwaited(waits, wait));
    waits.engine.awaitedHere.add(id);
  } else awaited.waits.add(wait);
  keepPolling(waits);
}

function createAwaited({ reads }: Waits, wait: Wait): Awaited {
  const isNoted = reads.note === undefined;
  return { waits: new Set([wait]), looking: false, lookAgain: false, isNoted, nextTry: undefined, tries: 0 };
}

function remove(waits: Waits, id: string, wait: Wait): void {
  const awaited = waits.byChain.get(id);
  awaited?.waits.delete(wait);
  if (awaited?.waits.size === 0) forget(waits, id, awaited);
  if (waits.byChain.size > 0) return;
  waits.timer?.cancel();
  waits.timer = undefined;
}

/** One look at a time for each chain, and another one if a wait or a hint came meanwhile. */
async function look(waits: Waits, id: string): Promise<void> {
  const awaited = waits.byChain.get(id);
  if (awaited === undefined) return;
  awaited.lookAgain = awaited.looking;
  if (awaited.looking) return;
  awaited.looking = true;
  do {
    awaited.lookAgain = false;
    await lookOnce(waits, id, awaited);
  } while (awaited.lookAgain && waits.byChain.get(id) === awaited);
  awaited.looking = false;
}

async function lookOnce(waits: Waits, id: string, awaited: Awaited): Promise<void> {
  try {
    const chain = await readChain(waits, id, awaited);
    if (chain === undefined) endWaits(waits, id, (wait) => wait.reject(notFound(id)));
    else if (chain.status !== "active") endWaits(waits, id, (wait) => wait.resolve(chain));
    else if (!awaited.isNoted) tryToNoteLater(waits, id, awaited);
  } catch (error) {
    // A closed store stays closed. From other errors it may recover, and the next poll looks again.
    if (isChainwrightError(error, "closed")) endWaits(waits, id, (wait) => wait.reject(error));
  }
}

async function readChain({ reads }: Waits, id: string, awaited: Awaited): Promise<ChainRecord | undefined> {
  if (awaited.isNoted || reads.note === undefined) return await reads.read(id);
  const { chain, isNoted } = await reads.note(id);
  awaited.isNoted = isNoted;
  return chain;
}

function tryToNoteLater(waits: Waits, id: string, awaited: Awaited): void {
  if (waits.byChain.get(id) !== awaited) return;
  const { clock } = waits.engine;
  awaited.tries += 1;
  awaited.nextTry?.cancel();
  awaited.nextTry = clock.setTimer(() => void look(waits, id), backoffMs(tryAgain, awaited.tries, clock.random()));
}

/** Skips chains that are being looked up: their look succeeds, or the next poll looks again. */
function lookAtAll(waits: Waits): void {
  for (const [id, { looking }] of waits.byChain) if (!looking) void look(waits, id);
}

function endWaits(waits: Waits, id: string, how: (wait: Wait) => void): void {
  const awaited = waits.byChain.get(id);
  if (awaited === undefined) return;
  forget(waits, id, awaited);
  for (const wait of awaited.waits) how(wait);
}

function forget(waits: Waits, id: string, awaited: Awaited): void {
  awaited.nextTry?.cancel();
  waits.byChain.delete(id);
  waits.engine.awaitedHere.delete(id);
}

/** One timer for all waits, because a hint may be lost. */
function keepPolling(waits: Waits): void {
  if (waits.byChain.size === 0) return;
  waits.timer ??= waits.engine.clock.setTimer(() => {
    waits.timer = undefined;
    lookAtAll(waits);
    keepPolling(waits);
  }, waits.pollMs);
}

/** Returns a completed chain; throws the error of a failed or cancelled one. */
export function endedOrThrow(chain: ChainRecord): ChainRecord {
  if (chain.status === "completed") return chain;
  if (chain.status === "cancelled") {
    const why = chain.reason === undefined ? "" : `: ${chain.reason}`;
    throw new ChainwrightError("chain-cancelled", `chain ${chain.id} ("${chain.typeName}") was cancelled${why}.`, {
      details: { id: chain.id },
    });
  }
  const error = readAttemptErrors(chain.errors).at(-1);
  const why = error === undefined ? "no error was recorded" : errorPhrase(error);
  throw new ChainwrightError("chain-failed", `chain ${chain.id} ("${chain.typeName}") failed: ${why}.`, {
    ...(error !== undefined && { cause: errorOfRecord(error) }),
    details: { id: chain.id, error },
  });
}

function notFound(id: string): ChainwrightError {
  return new ChainwrightError(
    "chain-not-found",
    `there is no chain ${id}: it was never started, its start was rolled back, or it has been deleted.`,
  );
}

/** How long a wait that is over may look for the reason. */
const reasonLimitMs = 250;

async function timedOut(engine: Engine, id: string, timeoutMs: number | undefined): Promise<ChainwrightError> {
  const step = await currentStep(engine, id);
  const error = step && readAttemptErrors(step.errors).at(-1);
  const state = step === undefined ? "" : ` Its step "${step.typeName}" is ${step.status}.`;
  const failure = error === undefined ? "" : ` ${failureSentence(error)}`;
  const advice =
    timeoutMs === defaultWaitMs ? " Pass timeoutMs to wait longer, or Infinity to wait without a limit." : "";
  return new ChainwrightError(
    "await-timeout",
    `chain ${id} has not ended within ${timeoutMs} ms; it continues without this wait.${advice}${state}${failure}`,
    { ...(error !== undefined && { cause: errorOfRecord(error) }), details: { id, error } },
  );
}

/** Undefined if the store does not respond soon. */
async function currentStep(engine: Engine, id: string): Promise<JobRecord | undefined> {
  const limit = createTimeLimit(engine.clock, { limitMs: reasonLimitMs, who: "the store" });
  return await limit(() => lastStep(engine, id, undefined)).catch(() => undefined);
}
