import type { Tags } from "chainwright";
import { claimName, type JobStart, type KeyScope } from "chainwright/adapter";
import { storedEnds, type StoredEnds } from "./ends/stored-ends.ts";
import { storedLimits, type StoredLimits } from "./limits/stored-limits.ts";
import { storedWait, type StoredWait } from "./signals/stored-waits.ts";

/** A start as `begin_v1` reads it; see `startRecord`. Undefined fields are not sent. */
export interface FlatStart {
  readonly n: number;
  /** The order of writing: a blocker before the jobs that wait for it. */
  w: number;
  readonly call: number;
  readonly parent: number | undefined;
  readonly id: string;
  /** Its claim name. */
  readonly type: string;
  readonly input: string;
  readonly priority: number;
  readonly at: number | undefined;
  readonly after: number | undefined;
  /** 1: the job waits when a blocker fails. */
  readonly wait: 1 | undefined;
  readonly context: string | undefined;
  readonly key: string | undefined;
  /** Above 1: see `gather_v1`. */
  readonly scope: 0 | 1 | 2 | 3 | undefined;
  readonly window: number | undefined;
  readonly quiet: number | undefined;
  readonly blocked: true | undefined;
  readonly tags: Tags | undefined;
  readonly limits: StoredLimits | undefined;
  readonly ends: StoredEnds | undefined;
  /** The end of the wait is in `at` or `after`. */
  readonly waits: StoredWait | undefined;
}

/** A signal of a start as `start_waiting_v1` reads it. */
export interface FlatSignal {
  /** From 0. */
  readonly n: number;
  readonly start: number;
  readonly call: number;
  readonly type: string;
  readonly name: string;
  readonly payload: string;
  readonly id: string | undefined;
  readonly context: string | undefined;
}

/** A blocker as `block_v1` reads it; see `blockerRecord`. */
export interface FlatBlocker {
  readonly job: number;
  readonly position: number;
  readonly chain: string | undefined;
  readonly child: number | undefined;
  readonly type: string | undefined;
}

/** Starts and the starts inside them, as a flat list. */
export interface FlatStarts {
  readonly starts: FlatStart[];
  readonly blockers: FlatBlocker[];
  readonly signals: FlatSignal[];
  /** Whether one of them waits for signals or has some. */
  waiting: boolean;
  /** Whether one of them has a deduplication key, tags, or anything on record for the end of its chain. */
  labelled: boolean;
  /** Whether the claim name of one of them is not its type. */
  named: boolean;
  /** Whether one of them is under limits. */
  limited: boolean;
  written: number;
}

export function noStarts(): FlatStarts {
  return {
    starts: [],
    blockers: [],
    signals: [],
    waiting: false,
    labelled: false,
    named: false,
    limited: false,
    written: 0,
  };
}

/** Adds a start of a call. Returns its number. */
export function flatten(into: FlatStarts, start: JobStart, call: number, parent?: number): number {
  const n = into.starts.length;
  const flat = flatStart(start, { n, call, parent });
  into.starts.push(flat);
  if (start.deduplication !== undefined || start.tags !== undefined || flat.ends !== undefined) into.labelled = true;
  if (flat.type !== start.typeName) into.named = true;
  if (start.limits !== undefined) into.limited = true;
  if (start.waits !== undefined || start.signals !== undefined) addSignals(into, start, { n, call });
  for (const [position, blocker] of start.blockers.entries()) {
    if ("start" in blocker) {
      const child = flatten(into, blocker.start, call, n);
      into.blockers.push({ job: n, position, chain: undefined, child, type: undefined });
    } else {
      into.blockers.push({ job: n, position, chain: blocker.chainId, child: undefined, type: blocker.typeName });
    }
  }
  flat.w = into.written;
  into.written += 1;
  return n;
}

function addSignals(into: FlatStarts, { signals = [] }: JobStart, { n, call }: { n: number; call: number }): void {
  into.waiting = true;
  for (const { typeName: type, signal: name, payload, signalId: id, context } of signals)
    into.signals.push({ n: into.signals.length, start: n, call, type, name, payload, id, context });
}

interface StartNumbers {
  readonly n: number;
  readonly call: number;
  readonly parent: number | undefined;
}

/** A start as parameters of `continue_one_v1`. */
export function startParameters({ id, type, input, priority, at, after, wait, context }: FlatStart): (string | null)[] {
  return [id, type, input, textOf(priority), textOf(at), textOf(after), textOf(wait), context ?? null];
}

function textOf(value: number | undefined): string | null {
  return value === undefined ? null : String(value);
}

/** The codes in `job.key_scope` and `deduplication.scope`. */
const scopes = { active: 0, any: 1, debounce: 2, throttle: 3 } as const satisfies Record<KeyScope, number>;

/** For how long a start holds the key of its chain. */
function windowOf(key: NonNullable<JobStart["deduplication"]>): number | undefined {
  switch (key.scope) {
    case "debounce":
      return key.maxWaitMs;
    case "throttle":
      return key.perMs;
    default:
      return key.windowMs;
  }
}

function flatStart(start: JobStart, { n, call, parent }: StartNumbers): FlatStart {
  const { deduplication, waits } = start;
  const schedule = waits === undefined ? start.schedule : waits.until;
  return {
    n,
    w: 0,
    call,
    parent,
    id: start.id,
    type: claimName(start),
    input: start.input,
    priority: start.priority,
    at: schedule !== undefined && "at" in schedule ? schedule.at : undefined,
    after: schedule !== undefined && "afterMs" in schedule ? schedule.afterMs : undefined,
    wait: start.onBlockerFailure === "wait" ? 1 : undefined,
    context: start.context,
    key: deduplication?.key,
    scope: deduplication && scopes[deduplication.scope],
    window: deduplication && windowOf(deduplication),
    quiet: deduplication?.scope === "debounce" ? deduplication.quietMs : undefined,
    blocked: start.blockers.length > 0 ? true : undefined,
    tags: start.tags,
    limits: storedLimits(start.limits),
    waits: storedWait(waits),
    ends: storedEnds(start),
  };
}
