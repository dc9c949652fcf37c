import type { Tags } from "chainwright";
import { claimName, type JobStart } from "chainwright/adapter";

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
  readonly scope: 0 | 1 | undefined;
  readonly window: number | undefined;
  readonly blocked: true | undefined;
  readonly tags: Tags | undefined;
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
  /** Whether one of them has a deduplication key or tags. */
  labelled: boolean;
  written: number;
}

export function noStarts(): FlatStarts {
  return { starts: [], blockers: [], labelled: false, written: 0 };
}

/** Adds a start of a call. Returns its number. */
export function flatten(into: FlatStarts, start: JobStart, call: number, parent?: number): number {
  const n = into.starts.length;
  const flat = flatStart(start, { n, call, parent });
  into.starts.push(flat);
  if (start.deduplication !== undefined || start.tags !== undefined) into.labelled = true;
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

function flatStart(start: JobStart, { n, call, parent }: StartNumbers): FlatStart {
  const { schedule, deduplication } = start;
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
    scope: deduplication && (deduplication.scope === "any" ? 1 : 0),
    window: deduplication?.windowMs,
    blocked: start.blockers.length > 0 ? true : undefined,
    tags: start.tags,
  };
}
