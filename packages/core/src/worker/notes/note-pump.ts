import { backoffMs } from "../../model/backoff.ts";
import type { Engine } from "../../engine/engine.ts";
import { storeTroubleOf } from "../../operations/store-trouble.ts";
import type { Timer } from "../../ports/clock.ts";
import type { NoteItem, NoteReply } from "../../ports/note.ts";
import { coalesce } from "../../timing/coalesce.ts";
import { retryConflicts } from "../../timing/retry-conflicts.ts";
import { createTimeLimit } from "../../timing/time-limit.ts";

/** How the attempts of a worker note something: many share a call. */
export interface NotePump {
  /** Writes at once what an attempt waits for. Rejects if the store does. */
  note(item: NoteItem): Promise<NoteReply>;
  /** Asks a source for what it has to write, within `reportMs`. */
  report(source: ReportSource): void;
  stop(): void;
}

/** An attempt with something to write that no one waits for. */
export interface ReportSource {
  /** Takes out what it has. Undefined: nothing. */
  take(): NoteItem | undefined;
  /** Called when what was taken is written, or cannot be written by any call. */
  written(): void;
  /** Called with what could not be written now. */
  putBack(item: NoteItem): void;
}

/** The time between two calls for reports. */
const reportMs = 250;
/** After this time a call counts as failed. */
const callLimitMs = 30_000;
/** The most items, and about how many characters, in one call. */
const mostItems = 2_000;
const mostCharacters = 4_000_000;
const backoff = { initialMs: 500, multiplier: 2, maxMs: 10_000, jitter: 0.2 };

interface PumpOptions {
  readonly engine: Pick<Engine, "state" | "clock" | "callOptions">;
  /** Called with what was written. */
  readonly onNoted: (items: readonly NoteItem[], durationMs: number) => void;
}

export function createNotePump({ engine, onNoted }: PumpOptions): NotePump {
  const { state, clock, callOptions } = engine;
  const timeLimit = createTimeLimit(clock, { limitMs: callLimitMs, who: "the store" });

  const call = async (items: readonly NoteItem[]): Promise<readonly NoteReply[]> => {
    const startedAt = clock.now();
    const replies = await timeLimit(() => retryConflicts(state, clock, () => state.note(items, callOptions())));
    if (replies.length !== items.length)
      throw new TypeError(`the state adapter must return one reply for each note; got ${replies.length}.`);
    const written = items.filter((_, index) => replies[index]?.status === "noted");
    if (written.length > 0) onNoted(written, clock.now() - startedAt);
    return replies;
  };
  const alone = async (item: NoteItem): Promise<NoteReply> => {
    const [reply] = await call([item]);
    return reply ?? { status: "busy" };
  };
  const together = coalesce(
    async (items: readonly NoteItem[]) => {
      try {
        return await call(items);
      } catch (error) {
        if (!isOfAnItem(error, items)) throw error;
        return items.map(alone);
      }
    },
    { clock, maxItems: mostItems, weigh: weightOf, maxWeight: mostCharacters },
  );
  /** Whether the store is well, and one of several items has failed the call. */
  const isOfAnItem = (error: unknown, items: readonly NoteItem[]): boolean =>
    items.length > 1 && storeTroubleOf(state, error) === undefined;

  return {
    note: (item) => (state.insideTransaction?.() === true ? alone(item) : together(item)),
    ...createReporting(clock, together, (error) => storeTroubleOf(state, error) === undefined),
  };
}

/** Reports go out together, at most every `reportMs`; no one waits for them. @param isLasting whether the same call would fail again */
function createReporting(
  clock: Engine["clock"],
  note: NotePump["note"],
  isLasting: (error: unknown) => boolean,
): Pick<NotePump, "report" | "stop"> {
  const sources = new Set<ReportSource>();
  let timer: Timer | undefined;
  let isWriting = false;
  let isStopped = false;
  let failures = 0;

  const wait = (): void => {
    if (isWriting || isStopped || sources.size === 0) return;
    const delayMs = failures === 0 ? reportMs : backoffMs(backoff, failures, clock.random());
    timer ??= clock.setTimer(() => {
      timer = undefined;
      void write();
    }, delayMs);
  };
  const write = async (): Promise<void> => {
    isWriting = true;
    const outcomes = await Promise.all(takeSome(sources).map((taken) => writeOne(taken)));
    failures = outcomes.includes("failed") ? failures + 1 : 0;
    isWriting = false;
    wait();
  };
  const writeOne = async ({ source, item }: Taken): Promise<"done" | "failed"> => {
    try {
      const reply = await note(item);
      if (reply.status === "busy") again(source, item);
      else if (reply.status === "noted") source.written();
      // Its lease may have run out and be renewed yet: then its next report or its outcome carries this.
      else source.putBack(item);
      return "done";
    } catch (error) {
      if (!isLasting(error)) {
        again(source, item);
        return "failed";
      }
      // What only this item carries cannot be written later either.
      source.written();
      return "done";
    }
  };
  const again = (source: ReportSource, item: NoteItem): void => {
    source.putBack(item);
    sources.add(source);
  };

  return {
    report(source) {
      sources.add(source);
      wait();
    },
    stop() {
      isStopped = true;
      timer?.cancel();
    },
  };
}

interface Taken {
  readonly source: ReportSource;
  readonly item: NoteItem;
}

/** As much as a call can carry; the rest stays for the next one. */
function takeSome(sources: Set<ReportSource>): readonly Taken[] {
  const taken: Taken[] = [];
  let weight = 0;
  for (const source of sources) {
    if (weight >= mostCharacters) break;
    sources.delete(source);
    const item = source.take();
    if (item === undefined) continue;
    taken.push({ source, item });
    weight += weightOf(item);
  }
  return taken;
}

const weightOfLine = 200;

function weightOf({ memos = [], checkpoint = "", progress = "", lines = [] }: NoteItem): number {
  const ofMemos = memos.reduce((sum, { value }) => sum + value.length, 0);
  const ofLines = lines.reduce((sum, { message, data = "" }) => sum + message.length + data.length + weightOfLine, 0);
  return ofMemos + checkpoint.length + progress.length + ofLines;
}
