import { FatalError } from "chainwright";
import { seenJob } from "./job.ts";
import { bodyOf } from "./moments.ts";
import { outOfReach, type CaseRun } from "./run-case.ts";

type Told = Readonly<Record<string, unknown>>;

export type Handler = (context: object) => unknown;

/** What ended an attempt by a throw. */
class Rescheduled extends Error {
  readonly schedule: { readonly at?: Date; readonly afterMs?: number };
  constructor(schedule: { readonly at?: Date; readonly afterMs?: number }) {
    super("rescheduled");
    this.schedule = schedule;
  }
}

/** Runs a handler with what it has elsewhere: the job, its signal, `continueWith` and `reschedule`. */
export async function outcomeOf(
  run: CaseRun,
  handler: Handler | undefined,
  job: Told,
  signal: AbortSignal,
): Promise<Told> {
  const nexts = new WeakMap<object, Told>();
  const own = {
    job: seenJob(job),
    signal,
    continueWith: (next: Told) => {
      const continuation = {};
      nexts.set(continuation, next);
      return continuation;
    },
    reschedule: (schedule: Rescheduled["schedule"]) => {
      throw new Rescheduled(schedule);
    },
  };
  const context = new Proxy(own, {
    get: (target, member): unknown => {
      if (typeof member !== "string" || member in target) return Reflect.get(target, member, target);
      return outOfReach(run, `${member} is of handlers in the process`);
    },
  });
  try {
    const value = await handler?.(context);
    const next = typeof value === "object" && value !== null ? nexts.get(value) : undefined;
    return next === undefined
      ? { kind: "completed", output: value ?? null }
      : { kind: "continued", next: bodyOf(run, next) };
  } catch (error) {
    if (error instanceof Rescheduled) return { kind: "rescheduled", ...rescheduledTo(error.schedule) };
    return { kind: "failed", error: toldOf(error), fatal: error instanceof FatalError };
  }
}

function rescheduledTo({ at, afterMs }: Rescheduled["schedule"]): object {
  return at === undefined ? { afterMs } : { at: at.toISOString() };
}

/** What is told of an error: as much as the gateway takes. */
function toldOf(error: unknown): object {
  if (!(error instanceof Error)) return { message: textOf(() => error, 20_000) };
  return {
    name: textOf(() => error.name, 200),
    message: textOf(() => error.message, 20_000),
    stack: textOf(() => error.stack, 20_000),
  };
}

/** Whatever was thrown may throw when it is read. */
function textOf(read: () => unknown, longest: number): string {
  try {
    return String(read()).slice(0, longest);
  } catch {
    return "unreadable";
  }
}
