import { ChainwrightError } from "../model/error.ts";
import { checkId, checkKeys, given, type OptionKeys } from "../checks/check-options.ts";
import { parse } from "../checks/json.ts";
import type { Engine } from "../engine/engine.ts";
import type { Noted, NotesRecord } from "../model/note.ts";
import type { JobRecord } from "../model/record.ts";
import { coalesce } from "../timing/coalesce.ts";
import { createTimeLimit } from "../timing/time-limit.ts";
import { createWakeUp, type WakeUp } from "../timing/wake-up.ts";
import type { JobUpdate, WatchOptions } from "../types/note-calls.ts";
import { ofType } from "./get-by-id.ts";
import { lineView } from "./note-views.ts";
import { storeTroubleOf } from "./store-trouble.ts";

/** Watches jobs. Looks of all watches at the same time share their statements. */
export type WatchJob = (
  options: { readonly id: string; readonly typeName?: string | undefined } & WatchOptions,
) => AsyncGenerator<JobUpdate, void, undefined>;

const watchKeys = { id: true, typeName: true, signal: true } satisfies OptionKeys;
/** The time between two looks, because a hint may be lost. */
const pollMs = { withHints: 1_000, withoutHints: 500 };
/** How long workers send hints about a job after an announcement, and how often a watch announces itself. */
const [watchedForMs, announceMs] = [30_000, 10_000];
/** The most lines of one look. */
const linesPerLook = 500;
const mostLooks = 200;
const readLimitMs = 30_000;

interface Look {
  readonly job: JobRecord | undefined;
  readonly notes: NotesRecord | undefined;
}

interface Asked {
  readonly jobId: string;
  readonly after: number | undefined;
}

/** @param closing aborts when the client is closed */
export function createWatchJob(engine: Engine, closing: AbortSignal): WatchJob {
  const look = createLook(engine);
  return (options) => {
    checkKeys(given(options, "watchJob"), watchKeys, "watchJob");
    const { typeName, signal } = options;
    const jobId = checkId(options.id, "id");
    const signals = signal === undefined ? [closing] : [signal, closing];
    return watch(engine, look, { jobId, typeName, signal: AbortSignal.any(signals) });
  };
}

function createLook({ state, clock, callOptions }: Engine): (asked: Asked) => Promise<Look> {
  const timeLimit = createTimeLimit(clock, { limitMs: readLimitMs, who: "the store" });
  return coalesce(
    async (items: readonly Asked[]) => {
      const query = { items, lines: linesPerLook, order: "ascending", memos: "none" } as const;
      // The notes after the jobs: of a job that had ended all lines are there.
      const jobs = await timeLimit(() =>
        state.getJobs(
          items.map(({ jobId }) => jobId),
          callOptions(),
        ),
      );
      const notes = await timeLimit(() => state.listNotes(query, callOptions()));
      return items.map((_, index) => ({ job: jobs[index], notes: notes[index] }));
    },
    { clock, maxItems: mostLooks },
  );
}

interface Watching {
  readonly jobId: string;
  readonly typeName: string | undefined;
  readonly signal: AbortSignal;
}

async function* watch(
  engine: Engine,
  look: (asked: Asked) => Promise<Look>,
  { jobId, typeName, signal }: Watching,
): AsyncGenerator<JobUpdate, void, undefined> {
  signal.throwIfAborted();
  const wakeUp = createWakeUp(engine.clock);
  const onAbort = (): void => wakeUp.wake();
  signal.addEventListener("abort", onAbort, { once: true });
  const leave = announce(engine, jobId, wakeUp);
  const everyMs = engine.hub.health === undefined ? pollMs.withoutHints : pollMs.withHints;
  let told: Told = nothingTold;
  try {
    for (;;) {
      const seen = await lookAgain(engine, () => look({ jobId, after: told.after }));
      signal.throwIfAborted();
      const taken = seen && takeIn(told, seen, { jobId, typeName });
      if (taken !== undefined) {
        yield* taken.updates;
        told = taken.told;
      }
      if (taken?.isOver === true) return;
      if (taken?.hasMore !== true) await wakeUp.wait(everyMs);
      signal.throwIfAborted();
    }
  } finally {
    leave();
    signal.removeEventListener("abort", onAbort);
  }
}

/** Undefined: the store is away for now. */
async function lookAgain({ state }: Engine, look: () => Promise<Look>): Promise<Look | undefined> {
  try {
    return await look();
  } catch (error) {
    if (storeTroubleOf(state, error) === undefined) throw error;
    return undefined;
  }
}

/** Asks workers for hints about a job, and wakes at each. Returns a function that ends this. */
function announce({ clock, hub }: Engine, jobId: string, wakeUp: WakeUp): () => void {
  const place = hub.listen({
    onHints(hints) {
      if (hints.some((hint) => hint.kind === "noted" && hint.jobId === jobId)) wakeUp.wake();
    },
    onLook: () => wakeUp.wake(),
    onMeeting: () => undefined,
  });
  const send = (): void => {
    hub.send([{ kind: "watched", jobId, forMs: watchedForMs }]);
    timer = clock.setTimer(send, announceMs);
  };
  let timer = clock.setTimer(send, announceMs);
  hub.send([{ kind: "watched", jobId, forMs: watchedForMs }]);
  return () => {
    timer.cancel();
    place.leave();
  };
}

/** What a watch has told last. */
interface Told {
  readonly job: JobRecord | undefined;
  readonly progress: Noted | undefined;
  readonly checkpoint: Noted | undefined;
  /** The place of the last line. */
  readonly after: number | undefined;
}

const nothingTold: Told = { job: undefined, progress: undefined, checkpoint: undefined, after: undefined };

interface TakenIn {
  readonly updates: readonly JobUpdate[];
  readonly told: Told;
  /** Whether the job has ended, and all is told. */
  readonly isOver: boolean;
  /** Whether further lines are there already. */
  readonly hasMore: boolean;
}

/** The begin of an attempt comes before its reports, and the end of the job after all of them. */
function takeIn(told: Told, { job, notes }: Look, of: Omit<Watching, "signal">): TakenIn {
  if (job === undefined) {
    if (told.job === undefined) throw notFound(of.jobId);
    // It was deleted.
    return { updates: [], told, isOver: true, hasMore: false };
  }
  const { status, attempt, endedAt } = ofType(job, of.typeName);
  const { lines = [], progress, checkpoint } = notes ?? {};
  const hasMore = lines.length >= linesPerLook;
  const isOver = endedAt !== undefined && !hasMore;
  const isNews = told.job?.status !== status || told.job.attempt !== attempt;
  const change: readonly JobUpdate[] = isNews ? [{ kind: "status", status, attempt }] : [];
  const after = lines.at(-1)?.seq ?? told.after;
  return {
    updates: [
      ...(endedAt === undefined ? change : []),
      ...lines.map((line): JobUpdate => ({ kind: "log", ...lineView(line) })),
      ...reportsOf(told, progress, checkpoint),
      ...(isOver ? change : []),
    ],
    told: { job: endedAt !== undefined && hasMore ? told.job : job, progress, checkpoint, after },
    isOver,
    hasMore,
  };
}

function reportsOf(told: Told, progress: Noted | undefined, checkpoint: Noted | undefined): readonly JobUpdate[] {
  const updates: JobUpdate[] = [];
  if (progress !== undefined && isOther(progress, told.progress))
    updates.push({ kind: "progress", progress: parse(progress.value), ...stampOf(progress) });
  if (checkpoint !== undefined && isOther(checkpoint, told.checkpoint))
    updates.push({ kind: "checkpoint", checkpoint: parse(checkpoint.value), ...stampOf(checkpoint) });
  return updates;
}

function isOther(one: Noted, other: Noted | undefined): boolean {
  return one.at !== other?.at || one.value !== other.value || one.attempt !== other.attempt;
}

function stampOf({ attempt, at }: Noted): { readonly attempt: number; readonly at: Date } {
  return { attempt, at: new Date(at) };
}

function notFound(id: string): ChainwrightError {
  return new ChainwrightError("job-not-found", `there is no job ${id}: it was never started, or it has been deleted.`, {
    details: { id },
  });
}
