import { fdatasync, writeSync, openSync, closeSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { measure, type Figure } from "@chainwright/bench-measuring";
import { atOnce, inputOf, noServer } from "./work.ts";

const sync = promisify(fdatasync);

/**
 * What a journal cannot be faster than: callers whose rows of the same bytes are written and synced in batches, by a file and nothing else.
 */
export async function measureAppendLoop(below: string, count: number, callers: number): Promise<Figure> {
  const file = openSync(join(below, `loop-${process.pid}`), "w");
  let waiting: { readonly rows: string[]; readonly done: PromiseWithResolvers<void> } | undefined;
  let isRunning = false;
  const run = async (): Promise<void> => {
    while (waiting !== undefined) {
      const { rows, done } = waiting;
      waiting = undefined;
      writeSync(file, rows.join(","));
      await sync(file);
      done.resolve();
    }
    isRunning = false;
  };
  const append = (row: string): Promise<void> => {
    waiting ??= { rows: [], done: Promise.withResolvers<void>() };
    waiting.rows.push(row);
    const { promise } = waiting.done;
    if (!isRunning) {
      isRunning = true;
      queueMicrotask(() => void run());
    }
    return promise;
  };
  const figure = await measure(count, noServer, () => atOnce(count, callers, (i) => append(rowOf(i))));
  closeSync(file);
  return figure;
}

function rowOf(i: number): string {
  const id = `0190a1c2-0000-7000-8000-${String(i).padStart(12, "0")}`;
  return JSON.stringify(["job", id, ["mail.send", 1, i, 1_700_000_000_000, JSON.stringify(inputOf(i))], [3, 0, 0, 0]]);
}
