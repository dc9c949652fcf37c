import type { HistoryRow } from "../in-process/history-row.ts";
import type { FollowUp, FollowUpKind } from "../model/follow-up.ts";
import type { KeyScope } from "../model/held-key.ts";
import type { LogLineRecord, Noted } from "../model/note.ts";
import type { ScheduleRecord, TickRecord } from "../model/recurring.ts";
import type { OnBlockerFailure } from "../model/status.ts";
import type { Tags } from "../model/tags.ts";
import type { EndedStatus } from "../rules/rows.ts";
import type { HeldAttempt } from "../rules/end-rows.ts";
import type { StepCompensation } from "../in-process/chain-ends.ts";
import type { KeyFacts, LimitFacts } from "../in-process/limit-said.ts";
import type { PauseRow } from "../in-process/row-types.ts";
import type { KeptPublication, SignalRow } from "../in-process/signal-store.ts";
import type { WaitRow } from "../in-process/wait-row.ts";

/*
 * The values of changes as they come back from a log, which has checked that they are what was written. JSON has no undefined: what was
 * left out, or is null in a list, is none.
 */

/** `Value` as it is in a list: null where it was undefined. */
type Read<Value> = Exclude<Value, undefined> | (undefined extends Value ? null : never);

type Place = [
  typeName: string,
  step: number,
  position: number,
  createdAt: number,
  input: string,
  chainId?: Read<string | undefined>,
  priority?: Read<number | undefined>,
  version?: Read<number | undefined>,
  pool?: Read<string | undefined>,
  onBlockerFailure?: Read<OnBlockerFailure | undefined>,
  context?: Read<string | undefined>,
  limits?: Read<[limit: string, key: string][] | undefined>,
  blockers?: Read<(string | null)[] | undefined>,
  own?: Read<string[] | undefined>,
];

type State = [
  status: number,
  readyAt: number,
  attempt: number,
  fence: number,
  endedAt?: Read<number | undefined>,
  output?: Read<string | undefined>,
  outputVersion?: Read<number | undefined>,
  errors?: Read<string | undefined>,
  lease?: Read<[workerId: string, startedAt: number, until: number] | undefined>,
  keepsPlaces?: Read<1 | undefined>,
  next?: Read<string | undefined>,
  last?: Read<string | undefined>,
  blocking?: Read<StoredBlocking | undefined>,
  wait?: Read<WaitRow | undefined>,
  shared?: Read<StoredShared | undefined>,
];

type StoredBlocking = [left: number, countedAt: number, failedBy?: Read<string | undefined>];

type StoredKey = [key: string, scope: KeyScope, until: Read<number | undefined>, heldUntil: Read<number | undefined>];

type StoredShared = [
  reason?: Read<string | undefined>,
  key?: Read<StoredKey | undefined>,
  tags?: Read<Tags | undefined>,
  startedFor?: Read<string | undefined>,
  follows?: Read<string | undefined>,
  ends?: Read<StoredEnds | undefined>,
];

type StoredEnds = [
  whenStopped: Read<FollowUp | undefined>,
  deadlineAt: Read<number | undefined>,
  held: Read<HeldAttempt | undefined>,
  compensations: StepCompensation[],
  followUps: [chainId: string, kind: FollowUpKind, isRemoved?: 1][],
];

export interface StoredJob {
  place: Place;
  state: State;
}

export const toPlace = (value: unknown): Place => value as Place;
export const toState = (value: unknown): State => value as State;
export const toText = (value: unknown): string => value as string;
export const toMoment = (value: unknown): number => value as number;
export const toTexts = (value: unknown): readonly string[] => value as string[];
export const toPause = (value: unknown): PauseRow => filled(blankPause, value as PauseRow);
export const toSchedule = (value: unknown): ScheduleRecord => filled(blankSchedule, value as ScheduleRecord);
export const toTick = (value: unknown): TickRecord => filled(blankTick, value as TickRecord);
export const toKept = (value: unknown): KeptPublication[] => (value as KeptPublication[]).map(withContext);
export const toNoted = (value: unknown): Noted => value as Noted;
export const toLine = (value: unknown): LogLineRecord => filled(blankLine, value as LogLineRecord);
export const toWait = (wait: WaitRow): WaitRow => ({
  ...filled(blankWait, wait),
  received: wait.received.map(withContext),
});

/** The numbers of a row of the history. */
export function toHistory([everyMs, at, typeName]: readonly unknown[], value: unknown): HistoryRow {
  const [completed = 0, failed = 0, retried = 0, longestWaitMs = 0, ...runTimes] = value as number[];
  const place = { everyMs: toMoment(everyMs), at: toMoment(at), typeName: toText(typeName) };
  return { ...place, completed, failed, retried, longestWaitMs, runTimes };
}

export function toSignal(value: unknown): SignalRow {
  return filled(blankSignal, withContext(value as SignalRow));
}

export function toNotes(value: unknown): {
  readonly checkpoint: Noted | undefined;
  readonly progress: Noted | undefined;
} {
  const [checkpoint, progress] = value as [Noted | null, Noted | null];
  return { checkpoint: checkpoint ?? undefined, progress: progress ?? undefined };
}

export function toLimitFacts(value: unknown): LimitFacts {
  const facts = value as LimitFacts;
  return { ...toFacts(facts), isKnown: facts.isKnown, declared: facts.declared, codeVersion: facts.codeVersion };
}

export function toKeyFacts(value: unknown): KeyFacts {
  const facts = value as KeyFacts;
  return { ...toFacts(facts), breaker: facts.breaker };
}

export function toShares(value: unknown): { readonly weight: number; readonly holds: boolean } {
  const [weight, holds] = value as [number, boolean];
  return { weight, holds };
}

export function toRelease(value: unknown): { status: EndedStatus; at: number; since: number } {
  const [status, at, since] = value as [EndedStatus, number, number];
  return { status, at, since };
}

function toFacts({ override, pausedUntil }: KeyFacts): KeyFacts {
  const until: unknown = pausedUntil;
  return { override, pausedUntil: until === "never" ? Infinity : pausedUntil };
}

function withContext<Sent extends { readonly context: string | undefined }>(sent: Sent): Sent {
  return { ...sent, context: sent.context };
}

/** With the keys that JSON has left out. */
function filled<Row>(blank: Partial<Row>, row: Row): Row {
  return { ...blank, ...row };
}

const blankLine = { data: undefined };
const blankSignal = { takenBy: undefined, signalId: undefined };
const blankPause = { reason: undefined, by: undefined, until: undefined };
const blankTick = { chainId: undefined, reason: undefined };
const blankWait = { until: undefined, collect: undefined, topics: undefined };
const blankSchedule = {
  owner: undefined,
  override: undefined,
  pausedAt: undefined,
  pausedReason: undefined,
  nextAt: undefined,
  tzVersion: undefined,
  lastAt: undefined,
  lastChainId: undefined,
  forgotten: undefined,
};
