import { checkText, checkKeys, invalid, show } from "../../checks/check-options.ts";
import { parse, serialize } from "../../checks/json.ts";
import { ChainwrightError } from "../../model/error.ts";
import { mostMemos } from "../../model/note.ts";
import { checkLife, quieten, whileAlive } from "../attempt-life.ts";
import type { NotingAttempt } from "./noting-attempt.ts";
import type { Delivery } from "./deliver.ts";

/** The `once` of a handler. */
export interface Once {
  (name: string, run: Run): Promise<unknown>;
  (name: string, options: OnceOptions, run: Run): Promise<unknown>;
}

interface OnceOptions {
  readonly tx?: boolean | undefined;
}

const onceKeys = { tx: true } satisfies Record<keyof OnceOptions, true>;

type Run = (scope: { readonly idempotencyKey: string; readonly tx?: unknown }) => unknown;

/** The longest name of a memo. */
const longestName = 255;

/** Another attempt has noted the memo first: what the callback has written must be rolled back. */
class NotedBefore extends Error {
  readonly value: string;

  constructor(value: string) {
    super("the memo is on record");
    this.value = value;
  }
}

export function createOnce(attempt: NotingAttempt, deliver: Delivery): Once {
  const { job, life } = attempt;
  const known = new Map((job.memos ?? []).map(({ name, value }) => [name, value]));
  const used = new Set<string>();
  /** With those that are being written: names are counted at each call, of which a job may have many. */
  let names = known.size;

  const call = async (name: string, options: OnceOptions, run: Run): Promise<unknown> => {
    attempt.steps.assertMayNote("once");
    checkCall(name, options, run);
    if (used.has(name)) throw duplicate(attempt, name);
    const found = known.get(name);
    if (found === undefined && names >= mostMemos) throw tooMany(attempt);
    used.add(name);
    if (found !== undefined) return valueOf(found);
    names += 1;
    try {
      const value = await (options.tx === true
        ? runInTransaction(attempt, name, run)
        : runAlone(attempt, { name, run, deliver }));
      return valueOf(value);
    } catch (error) {
      // Nothing is on record: the handler may try again.
      used.delete(name);
      names -= 1;
      throw error;
    }
  };
  return (name: string, ...rest: readonly [Run] | readonly [OnceOptions, Run]) => {
    const [options, run] = rest.length === 1 ? [{}, rest[0]] : rest;
    const called = whileAlive(life, () => call(name, options, run));
    quieten(called);
    return called;
  };
}

interface Running {
  readonly name: string;
  readonly run: Run;
  readonly deliver: Delivery;
}

/** Runs the callback, then notes its result; returns what is on record. */
async function runAlone(attempt: NotingAttempt, { name, run, deliver }: Running): Promise<string> {
  const value = textOf(attempt, name, await run({ idempotencyKey: keyOf(attempt, name) }));
  checkLife(attempt.life);
  const [stored] = await deliver({ memos: [{ name, value }] });
  return stored?.value ?? value;
}

/** The writes of the callback and the memo are one commit, which happens only if the job is still this attempt's. */
async function runInTransaction(attempt: NotingAttempt, name: string, run: Run): Promise<string> {
  const { engine, job, fence: target, steps } = attempt;
  const within = async (tx: unknown): Promise<string> => {
    const value = textOf(attempt, name, await run({ tx, idempotencyKey: keyOf(attempt, name) }));
    checkLife(attempt.life);
    const item = { target, attempt: job.attempt, memos: [{ name, value }] };
    const [reply] = await engine.state.note([item], engine.callOptions(tx));
    if (reply?.status === "lost") return steps.lose(reply.reason);
    if (reply?.status !== "noted") throw new TypeError("the state adapter must not return busy inside a transaction.");
    const [stored] = reply.memos ?? [];
    if (stored?.isNew === false) throw new NotedBefore(stored.value);
    return value;
  };
  try {
    return await steps.inTransaction(within);
  } catch (error) {
    if (error instanceof NotedBefore) return error.value;
    throw error;
  }
}

function checkCall(name: unknown, options: unknown, run: unknown): void {
  if (checkText(name, "the name of once", longestName) === "")
    throw invalid(
      'the name of once must not be empty: it names what is remembered, such as once("create-upload", ...).',
    );
  if (typeof options !== "object" || options === null)
    throw invalid(`the options of once must be an object, such as { tx: true }; got ${show(options)}.`);
  checkKeys(options, onceKeys, "once");
  if (typeof run !== "function") throw invalid(`once must get a callback; got ${show(run)}.`);
}

/** A callback that returns nothing is remembered as the empty text, which is no JSON. */
function textOf({ engine, job }: NotingAttempt, name: string, value: unknown): string {
  if (value === undefined) return "";
  return serialize(value, `the result of once("${name}") of "${job.typeName}"`, engine.maxPayloadBytes);
}

function valueOf(text: string): unknown {
  return text === "" ? undefined : parse(text);
}

/** The same in every attempt. */
function keyOf({ job }: NotingAttempt, name: string): string {
  return `${job.id}:${name}`;
}

function duplicate({ job }: NotingAttempt, name: string): ChainwrightError {
  return new ChainwrightError(
    "duplicate-memo",
    `once("${name}") was called twice in an attempt of "${job.typeName}"; in a loop, put the index into the name.`,
    { details: { jobId: job.id, name } },
  );
}

function tooMany({ job }: NotingAttempt): ChainwrightError {
  return invalid(
    `"${job.typeName}" remembers more than ${mostMemos} results of once; make it a chain, in which each step has its own, or save a checkpoint.`,
  );
}
