import { invalid, show } from "../checks/check-options.ts";
import type { Engine } from "../engine/engine.ts";
import { backoffMs } from "../model/backoff.ts";
import { ChainwrightError, isChainwrightError } from "../model/error.ts";
import type { Timer } from "../ports/clock.ts";
import { checkTypeNames } from "./pause-job-types.ts";
import { waitLimitOf } from "./await-chain.ts";

export interface AwaitIdleOptions {
  readonly typeNames: readonly string[];
  readonly pending?: boolean | undefined;
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const idleKeys = { typeNames: true, pending: true, timeoutMs: true, signal: true } satisfies Record<
  keyof AwaitIdleOptions,
  true
>;

/** The jobs of a type that are left. */
interface Left {
  readonly typeName: string;
  readonly running: number;
  /** 0 if ready jobs do not count. */
  readonly ready: number;
}

/** The pause between two looks. */
const lookAgain = { initialMs: 100, multiplier: 2, maxMs: 1_000, jitter: 0 };
/** A rest after each count, in durations of the count, and at most: with a large backlog it is expensive. */
const [restFactor, mostRestMs] = [4, 5_000];
/** A claim that began before a pause may commit after it: nothing may run for that long. */
const quietMs = 250;

/** @param closing aborts when the client is closed. */
export async function awaitIdle(engine: Engine, options: AwaitIdleOptions, closing: AbortSignal): Promise<void> {
  const typeNames = checkTypeNames(engine, options, idleKeys, "awaitIdle");
  const { pending = false, signal } = options;
  if (typeof pending !== "boolean") throw invalid(`pending must be true or false; got ${show(pending)}.`);
  const timeoutMs = waitLimitOf(engine, options.timeoutMs);
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const watch: Watch = { engine, typeNames, pending, left: [], ended: false, timer: undefined };
  const onAbort = (): void => reject(signal?.reason);
  const onClose = (): void => reject(closing.reason);
  const onTimeout = (): void => reject(timeoutError(watch, timeoutMs));
  const timeout = timeoutMs === undefined ? undefined : engine.clock.setTimer(onTimeout, timeoutMs);
  signal?.addEventListener("abort", onAbort, { once: true });
  closing.addEventListener("abort", onClose, { once: true });
  lookUntilIdle(watch).then(resolve, reject);
  try {
    await promise;
  } finally {
    watch.ended = true;
    watch.timer?.cancel();
    timeout?.cancel();
    signal?.removeEventListener("abort", onAbort);
    closing.removeEventListener("abort", onClose);
  }
}

interface Watch {
  readonly engine: Engine;
  readonly typeNames: readonly string[];
  readonly pending: boolean;
  /** What the last look found. */
  left: readonly Left[];
  ended: boolean;
  timer: Timer | undefined;
}

async function lookUntilIdle(watch: Watch): Promise<void> {
  const { clock } = watch.engine;
  let idleSince: number | undefined;
  for (let looks = 1; !watch.ended; looks += 1) {
    const startedAt = clock.now();
    const isIdle = await look(watch);
    if (!isIdle) idleSince = undefined;
    else if (idleSince === undefined) idleSince = clock.now();
    else if (startedAt - idleSince >= quietMs) return;
    const restMs = Math.min(mostRestMs, restFactor * (clock.now() - startedAt));
    const pauseMs = isIdle ? quietMs : backoffMs(lookAgain, looks, clock.random());
    await sleep(watch, Math.max(pauseMs, restMs));
  }
}

/** A store that is away may come back. */
async function look(watch: Watch): Promise<boolean> {
  try {
    watch.left = await countLeft(watch);
    return watch.left.length === 0;
  } catch (error) {
    if (isChainwrightError(error, "store-unavailable") || watch.engine.state.isConflict(error)) return false;
    throw error;
  }
}

async function countLeft({ engine, typeNames, pending }: Watch): Promise<readonly Left[]> {
  const counts = await engine.state.count(engine.callOptions());
  return typeNames
    .map((typeName) => {
      const of = (status: string): number =>
        counts.find((each) => each.typeName === typeName && each.status === status)?.count ?? 0;
      return { typeName, running: of("running"), ready: pending ? of("ready") : 0 };
    })
    .filter(({ running, ready }) => running + ready > 0);
}

function sleep(watch: Watch, ms: number): Promise<void> {
  return new Promise((resolve) => {
    watch.timer = watch.engine.clock.setTimer(resolve, ms);
  });
}

function timeoutError({ left, pending }: Watch, timeoutMs: number | undefined): ChainwrightError {
  const jobs = left.map(({ typeName, running, ready }) => {
    return `"${typeName}" has ${running} running${pending ? ` and ${ready} ready` : ""}`;
  });
  const what = jobs.length === 0 ? "the store has not responded, or a job ended just now" : jobs.join(", ");
  return new ChainwrightError(
    "await-timeout",
    `the job types have not become idle within ${timeoutMs} ms: ${what}. Pass timeoutMs to wait longer.`,
    { details: { left } },
  );
}
