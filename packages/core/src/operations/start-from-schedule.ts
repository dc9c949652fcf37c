import { checkInteger, checkKeys, checkMoment, invalid } from "../checks/check-options.ts";
import type { Engine } from "../engine/engine.ts";
import { startedJobsEvents } from "../engine/job-events.ts";
import { ChainwrightError } from "../model/error.ts";
import { ticksBetween } from "../model/recurrence.ts";
import { definitionOf, ruleOfDefinition } from "./definition-of.ts";
import type { TickedStart, TickItem, TickReply } from "../ports/schedule.ts";
import type { StartReply } from "../ports/start.ts";
import { retryConflicts } from "../timing/retry-conflicts.ts";
import { createWakeUp } from "../timing/wake-up.ts";
import { readSchedule, type BySchedule } from "./change-schedules.ts";
import { refusalError } from "./refusal-error.ts";
import { checkScheduleId } from "./schedule-options.ts";
import { tickInput, tickStart } from "./tick-start.ts";
import { tickedEvents } from "./write-ticks.ts";

export interface BackfillSchedule extends BySchedule {
  readonly from: Date;
  readonly until: Date;
  readonly limit?: number | undefined;
}

export interface Backfilled {
  /** The chains that were started, in the order of their instants. */
  readonly started: readonly { readonly at: Date; readonly chainId: string }[];
  /** How many instants had a chain, or had one that is forgotten. */
  readonly known: number;
  /** From where to go on, because the limit was reached. Undefined: the span is complete. */
  readonly nextFrom: Date | undefined;
}

const triggerKeys = { id: true, tx: true } satisfies Record<keyof BySchedule, true>;
const backfillKeys = { ...triggerKeys, from: true, until: true, limit: true } satisfies Record<
  keyof BackfillSchedule,
  true
>;

/** Starts a chain as a tick would, now. It is no tick. */
export async function triggerSchedule(
  engine: Engine,
  options: BySchedule,
): Promise<{ readonly chain: StartReply; readonly typeName: string }> {
  checkKeys(options, triggerKeys, "triggerSchedule");
  const { tx } = options;
  const { record } = await readSchedule(engine, checkScheduleId(options.id), tx);
  const definition = definitionOf(record);
  const start = tickStart(engine, definition, await tickInput(engine, definition), undefined);
  const [reply] =
    tx === undefined
      ? [await engine.startOutside({ starts: [start] })]
      : await engine.state.start([{ starts: [start] }], engine.callOptions(tx));
  if (reply === undefined) throw new TypeError("the state adapter must return a reply for each start; got none.");
  if (!reply.ok) throw refusalError(reply.refusal);
  const [chain] = reply.value;
  if (chain === undefined) throw new TypeError("the state adapter must return a chain for each start; got none.");
  engine.events.record(startedJobsEvents(chain.jobs), tx);
  return { chain, typeName: definition.typeName };
}

/** Starts the chains of the ticks of a span that have none. */
export async function backfillSchedule(engine: Engine, options: BackfillSchedule): Promise<Backfilled> {
  checkKeys(options, backfillKeys, "backfillSchedule");
  const { tx } = options;
  const id = checkScheduleId(options.id);
  const from = checkMoment(options.from, "from");
  const until = checkMoment(options.until, "until");
  const limit = checkInteger(options.limit ?? 500, "limit", { min: 1, max: 1_000 });
  const { record, now } = await readSchedule(engine, id, tx);
  if (until > now) throw invalid("until must not be in the future: those ticks are still to come.");
  if (until < from) throw invalid("until must not be before from.");
  const definition = definitionOf(record);
  const recurrence = (await engine.recurrences()).of(ruleOfDefinition(definition));
  const ticks = ticksBetween(recurrence, from - 1, until, limit);
  const input = await tickInput(engine, definition);
  const starts = ticks.map((at) => ({
    at,
    start: tickStart(engine, definition, input, { scheduleId: id, at, missed: 0 }),
  }));
  const item = { scheduleId: id, advance: undefined, starts, skipped: [], missed: 0, overlap: "allow" } as const;
  const reply = await fill(engine, item, tx);
  const begun = reply.starts.flatMap((each, index) => startedAt(each, ticks[index] ?? now));
  engine.events.record(
    begun.flatMap(({ at, chain }) =>
      tickedEvents({ scheduleId: id, typeName: definition.typeName, at, missed: 0 }, chain, now),
    ),
    tx,
  );
  const next = ticks.length < limit ? undefined : recurrence.next(ticks.at(-1) ?? until)?.at;
  return {
    started: begun.map(({ at, chain }) => ({ at: new Date(at), chainId: chain.id })),
    known: reply.starts.length - begun.length,
    nextFrom: next === undefined || next > until ? undefined : new Date(next),
  };
}

const mostTries = 20;

/** Writes the ticks, and again while a tick of a worker has locked the schedule. */
async function fill(engine: Engine, item: TickItem, tx: unknown): Promise<Extract<TickReply, { status: "ticked" }>> {
  const { state, clock, callOptions } = engine;
  const call = () => state.tick([item], callOptions(tx));
  for (let tries = 1; ; tries += 1) {
    const [reply] = await (tx === undefined ? retryConflicts(state, clock, call) : call());
    if (reply?.status === "ticked") return reply;
    await readSchedule(engine, item.scheduleId, tx);
    if (tries >= mostTries)
      throw new ChainwrightError(
        "transaction-conflict",
        `schedule "${item.scheduleId}" is locked by another transaction; try again when that has ended.`,
      );
    await createWakeUp(clock).pause(50 * tries);
  }
}

function startedAt(started: TickedStart, at: number): readonly { readonly at: number; readonly chain: StartReply }[] {
  return started.status === "started" ? [{ at, chain: started.chain }] : [];
}
