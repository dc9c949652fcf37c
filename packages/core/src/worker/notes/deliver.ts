import { backoffMs } from "../../model/backoff.ts";
import type { Clock } from "../../ports/clock.ts";
import type { NoteItem, NoteReply, StoredMemo } from "../../ports/note.ts";
import { storeTroubleOf } from "../../operations/store-trouble.ts";
import { checkLife } from "../attempt-life.ts";
import type { NotingAttempt } from "./noting-attempt.ts";

/** Writes what a handler waits for. Resolves when it is stored, with the memos on record. */
export type Delivery = (content: Pick<NoteItem, "memos" | "checkpoint">) => Promise<readonly StoredMemo[]>;

const tryAgain = { initialMs: 20, multiplier: 2, maxMs: 2_000, jitter: 0.5 };

/**
 * While the store is away it tries again until the attempt ends: when the lease has run out, the worker aborts it. A try that was given
 * up may be carried out: the same content again changes nothing.
 */
export function createDelivery({ engine, job, fence: target, life, steps, noting }: NotingAttempt): Delivery {
  const { state, clock } = engine;
  return async (content) => {
    for (let tries = 1; ; tries += 1) {
      checkLife(life);
      const reply = await tryOnce(() => noting.pump.note({ target, attempt: job.attempt, ...content }));
      if (reply.status === "noted") return reply.memos ?? [];
      if (reply.status === "lost") return steps.lose(reply.reason);
      await pause(clock, backoffMs(tryAgain, tries, clock.random()));
    }
  };

  async function tryOnce(call: () => Promise<NoteReply>): Promise<NoteReply> {
    try {
      return await call();
    } catch (error) {
      if (storeTroubleOf(state, error) === undefined) throw error;
      return { status: "busy" };
    }
  }
}

function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.setTimer(resolve, ms));
}
