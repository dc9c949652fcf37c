import { createAttemptCounts, type AttemptCounts } from "./attempt-counts.ts";
import type { JobTypeSlice } from "../model/job-type.ts";
import type { LimitSlice } from "../model/limit.ts";
import type { VersionSlice } from "../model/version-step.ts";
import type { ChainwrightEvent } from "../model/event.ts";
import type { ChainRecord } from "../model/record.ts";
import type { Clock } from "../ports/clock.ts";
import type { NotifyAdapter } from "../ports/notify.ts";
import type { Observer } from "../ports/observer.ts";
import type { Reply } from "../ports/reply.ts";
import type { StartCall, StartReply } from "../ports/start.ts";
import type { CallOptions } from "../ports/call.ts";
import type { CompensateItem, CompensateReply } from "../ports/compensate.ts";
import type { StateAdapter } from "../ports/state.ts";
import { coalesce } from "../timing/coalesce.ts";
import { createAtMost, type AtMost } from "../timing/limit-concurrency.ts";
import { invalid, show } from "../checks/check-options.ts";
import type { Recurrences } from "../schedules/recurrence.ts";
import { createBackgroundRelease } from "./release-in-background.ts";
import type { FindBatch } from "./gathered-batch.ts";
import { contextsOf, type Contexts } from "./contexts.ts";
import { createEventLog, observerListener, type EventListener, type EventLog } from "./events.ts";
import { createHintHub, type HintHub } from "../hints/hint-hub.ts";
import { hintsOf, type AnnouncedEnds } from "../hints/hints-of-events.ts";
import { createWatchedJobs, type WatchedJobs } from "../hints/watched-jobs.ts";
import { createTimeLimit } from "../timing/time-limit.ts";
import { createJobTypeRegistry, type JobTypeRegistry } from "../checks/job-type-registry.ts";
import { shareCompensations } from "./concurrent-compensations.ts";
import { shareStarts } from "./concurrent-starts.ts";
import { createSharing } from "./shared-calls.ts";
import { createLifetime, type ClientLifetime } from "./client-lifetime.ts";
import { holdClockDuringCalls } from "./hold-clock.ts";
import { createIdSource } from "../checks/uuid.ts";

/** What operations work with. User types end at the client: payloads are `unknown` here, and JSON text in the store. */
export interface Engine {
  readonly state: StateAdapter;
  /** The state adapter as the client was given it: `state` may be a proxy of it. */
  readonly givenState: StateAdapter;
  readonly slices: readonly JobTypeSlice[];
  readonly clock: Clock;
  readonly newId: () => string;
  readonly types: JobTypeRegistry;
  readonly maxPayloadBytes: number;
  readonly events: EventLog;
  readonly hub: HintHub;
  readonly announcedEnds: AnnouncedEnds;
  /** How the workers of this client find the batch of a job that gathers. */
  readonly gatherings: Set<FindBatch>;
  /** The chains that callers of this client await. */
  readonly awaitedHere: Set<string>;
  readonly watchedJobs: WatchedJobs;
  /** Releases in the background the jobs that wait for ended chains. */
  readonly releaseInBackground: () => void;
  /** Whether there are observers: events that only observers would see are not created without them. */
  readonly observed: boolean;
  /** What its workers have done since the last heartbeat of one of them. */
  readonly counts: AttemptCounts;
  readonly contexts: Contexts;
  /** Reads of chains at the same time share one statement. */
  readonly findChain: (id: string) => Promise<ChainRecord | undefined>;
  /** Starts without a transaction: calls that are made at the same time share one statement, see `concurrent-starts.ts`. */
  readonly startOutside: (call: StartCall) => Promise<Reply<readonly StartReply[]>>;
  /** Records what undoes the steps of running attempts, in the same way. */
  readonly compensate: (item: CompensateItem) => Promise<CompensateReply>;
  /** Loads what reads patterns of schedules, at the first call. */
  readonly recurrences: () => Promise<Recurrences>;
  readonly lifetime: ClientLifetime;
  /** Runs the transaction of a handler while at least one connection stays free for the renewal of leases. */
  readonly keepOneFree: AtMost;
  /** The options of a call to the store: the transaction or the limit of lock waits, and the time if a test sets it. */
  readonly callOptions: (tx?: unknown, waitMs?: number) => CallOptions<unknown>;
}

/** What an operation needs that only reads from the store. */
export type StoreAccess = Pick<Engine, "state" | "callOptions" | "types" | "clock" | "gatherings">;

export interface EngineOptions {
  readonly state: StateAdapter;
  /** Undefined: no hints pass between processes. */
  readonly notify: NotifyAdapter | undefined;
  readonly clock: Clock;
  readonly slices: readonly JobTypeSlice[];
  readonly versions: readonly VersionSlice[];
  readonly limits: readonly LimitSlice[];
  readonly observers: readonly Observer[];
  /** Reports failures while the application has no observers of its own. */
  readonly failureReporter: { observe(event: ChainwrightEvent): void; close(): void } | undefined;
  readonly maxPayloadBytes: number;
}

/** How long the store may take to return its id, or some chains. */
const readLimitMs = 5_000;
/** The most chains looked up in one statement. */
const mostChains = 500;

export function createEngine(options: EngineOptions): Engine {
  const { notify, clock, observers, failureReporter } = options;
  const state = holdClockDuringCalls(options.state, clock);
  const releaseListener: EventListener = (recorded) => {
    if (recorded.some(({ type }) => type === "chain-releasing")) backgroundRelease.begin();
  };
  const awaitedHere = new Set<string>();
  // Without a notify adapter hints stay in this process, and a note in the store would cost more than it saves.
  const announcedElsewhere = state.noteAwaited === undefined ? "all" : "awaited";
  const announcedEnds = notify === undefined ? awaitedHere : announcedElsewhere;
  const listeners: EventListener[] = [
    (recorded) => hub.send(hintsOf(recorded, { announcedEnds, limitsOf: types.limits.namesOf })),
    (recorded) => hub.send(watchedJobs.hintsAbout(jobsOf(recorded))),
    releaseListener,
    ...observers.map(observerListener),
    ...(failureReporter === undefined ? [] : [observerListener(failureReporter.observe)]),
  ];
  const watchedJobs = createWatchedJobs(clock.now);
  const types = createJobTypeRegistry(options.slices, options);
  const events = createEventLog(listeners, (tx) => state.transactionOf?.(tx));
  const callOptions = createCallOptions(clock);
  const record = (recorded: readonly ChainwrightEvent[]): void => events.record(recorded, undefined);
  const timeLimit = createTimeLimit(clock, { limitMs: readLimitMs, who: "the store" });
  const hub = createHintHub({ clock, notify, storeId: () => timeLimit(() => state.storeId(callOptions())), record });
  const backgroundRelease = createBackgroundRelease({ state, clock, record, callOptions });
  const share = createSharing({ state, clock, callOptions });
  return {
    state,
    givenState: options.state,
    slices: options.slices,
    clock,
    newId: createIdSource(clock),
    types,
    maxPayloadBytes: options.maxPayloadBytes,
    events,
    hub,
    announcedEnds,
    awaitedHere,
    gatherings: new Set(),
    watchedJobs,
    releaseInBackground: backgroundRelease.begin,
    observed: observers.length > 0,
    counts: createAttemptCounts(),
    contexts: contextsOf(observers),
    findChain: coalesce((ids: readonly string[]) => timeLimit(() => state.getChains(ids, callOptions())), {
      clock,
      maxItems: mostChains,
    }),
    startOutside: shareStarts(state, share),
    compensate: shareCompensations(state, share),
    keepOneFree: createAtMost(Math.max(1, (state.connections ?? Infinity) - 1)),
    recurrences: loadOnce(),
    lifetime: createLifetime(async () => {
      await backgroundRelease.close();
      await hub.close();
      failureReporter?.close();
    }),
    callOptions,
  };
}

/** Returns the options of calls: a virtual clock gives its time to the store, and a call without options makes no object. */
function createCallOptions(clock: Clock): Engine["callOptions"] {
  const plain: CallOptions<unknown> = {};
  return (tx, waitMs) => {
    checkTx(tx);
    if (clock.virtual) return { tx, waitMs, now: clock.now() };
    if (waitMs !== undefined) return { waitMs };
    return tx === undefined ? plain : { tx };
  };
}

function* jobsOf(events: readonly ChainwrightEvent[]): Generator<string> {
  for (const event of events) if ("jobId" in event && event.jobId !== undefined) yield event.jobId;
}

function loadOnce(): () => Promise<Recurrences> {
  let loaded: Promise<Recurrences> | undefined;
  return () => (loaded ??= import("../schedules/recurrence.ts").then(({ createRecurrences }) => createRecurrences()));
}

/** A wrong handle must neither cause a write outside the transaction nor an obscure error of the driver. */
function checkTx(tx: unknown): void {
  if (tx === undefined || (typeof tx === "object" && tx !== null) || typeof tx === "function") return;
  throw invalid(`tx must be a transaction handle of the database client; got ${show(tx)}.`);
}
