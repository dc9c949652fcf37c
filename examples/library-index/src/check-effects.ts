import type { Database } from "better-sqlite3";
import type { LibraryClient } from "./database.ts";
import { typesWithEffect } from "./effects.ts";

export interface EffectCheck {
  /** Jobs of the run, and their attempts. */
  jobs: number;
  attempts: number;
  repeated: number;
  /** Jobs that ended since this process began, and the highest number in one second. */
  endedNow: number;
  bestSecond: number;
  /** Completed steps that should have an effect, and effects that have a completed step. */
  steps: number;
  effects: number;
  /** Completed steps without their effect. */
  lost: number;
  /** Second and further effects of a step, and effects of steps that never completed. */
  doubled: number;
}

/** Compares the effects table with all chains of the database, page by page. */
export async function checkEffects(
  client: LibraryClient,
  database: Database,
  run: { readonly startedAt: Date; readonly beganAt: Date },
): Promise<EffectCheck> {
  const check = {
    jobs: 0,
    attempts: 0,
    repeated: 0,
    endedNow: 0,
    bestSecond: 0,
    steps: 0,
    effects: 0,
    lost: 0,
    doubled: 0,
  };
  const perSecond = new Map<number, number>();
  const withEffect: ReadonlySet<string> = new Set(typesWithEffect);
  const ofJob = database.prepare<[string], number>("select count(*) from effect where job_id = ?").pluck();
  const ofAll = database.prepare<[], number>("select count(*) from effect").pluck();
  let matched = 0;
  let cursor: string | undefined;
  do {
    const page = await client.listJobs({ order: "oldest", limit: 500, cursor });
    for (const { id, typeName, status, attempt, createdAt, endedAt } of page.items) {
      if (createdAt >= run.startedAt) {
        check.jobs += 1;
        check.attempts += attempt;
        check.repeated += Math.max(0, attempt - 1);
      }
      if (endedAt !== undefined && endedAt >= run.beganAt) {
        const second = Math.floor((endedAt.getTime() - run.beganAt.getTime()) / 1_000);
        perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
        check.endedNow += 1;
      }
      if (status !== "completed" || !withEffect.has(typeName)) continue;
      check.steps += 1;
      if (ofJob.get(id) === 0) check.lost += 1;
      else matched += 1;
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  check.bestSecond = Math.max(0, ...perSecond.values());
  check.effects = ofAll.get() ?? 0;
  check.doubled = check.effects - matched;
  return check;
}
