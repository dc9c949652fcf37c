import { createGate } from "../behaviour/gate.ts";
import { inTime } from "../behaviour/event-log.ts";
import type { StateFixture } from "./fixture.ts";

/** Runs something in a transaction of another process, which then stays open until the caller commits it or rolls it back. */
export async function holding(
  fixture: StateFixture,
  run: (other: StateFixture, tx: unknown) => Promise<unknown>,
): Promise<{ commit(): Promise<void>; rollBack(): Promise<void> }> {
  const other = await fixture.connect();
  const held = createGate();
  const end = Promise.withResolvers<void>();
  const done = other.store.transaction(async (tx) => {
    await run(other, tx);
    held.open();
    await end.promise;
  });
  const ended = done.catch((error: unknown) => {
    if (!(error instanceof Error) || error.message !== "undo") throw error;
  });
  await inTime("the other transaction holds its rows", Promise.race([held.passed, ended]));
  return {
    commit() {
      end.resolve();
      return ended;
    },
    rollBack() {
      end.reject(new Error("undo"));
      return ended;
    },
  };
}
