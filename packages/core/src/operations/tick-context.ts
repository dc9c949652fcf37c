import type { ScheduledTick } from "../model/scheduled-tick.ts";

/*
 * A tick travels in the context of its job, which stores keep as it is: behind the texts of the observers, as an object. A release
 * that does not know it skips it, because it is no text.
 */

interface StoredTick {
  readonly tick: { readonly scheduleId: string; readonly at: number; readonly missed: number };
}

/** Adds a tick to the context of the job that it starts. */
export function withTick(context: string | undefined, tick: StoredTick["tick"]): string {
  const parts = context === undefined ? [] : (JSON.parse(context) as readonly unknown[]);
  return JSON.stringify([...parts, { tick } satisfies StoredTick]);
}

/** The tick that started a job, with the context of the job. Undefined: no tick did. */
export function readTick(context: string): ScheduledTick | undefined {
  if (!context.endsWith("}]")) return undefined;
  try {
    const last = (JSON.parse(context) as readonly unknown[]).at(-1) as Partial<StoredTick> | undefined;
    if (last?.tick === undefined) return undefined;
    const { scheduleId, at, missed } = last.tick;
    return { scheduleId, at: new Date(at), missed };
  } catch {
    return undefined;
  }
}
