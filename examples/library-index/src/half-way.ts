import type { RecordEffect } from "./effects.ts";
import type { OnMerged } from "./library-processors.ts";

/**
 * Stops at the worst moment for a process to die: half of the files are catalogued, an effect is written, and its transaction is not
 * committed. There it calls `onHalfWay` and waits forever.
 *
 * @param filesLeft how many files are still to be catalogued; undefined if the scan will show it.
 */
export function stopHalfWay(record: RecordEffect, filesLeft: number | undefined, onHalfWay: () => void): RecordEffect {
  let entriesLeft = filesLeft === undefined ? Infinity : Math.ceil(filesLeft / 2);
  return async (tx, effect) => {
    await record(tx, effect);
    if (effect.typeName === "library.index") entriesLeft = Math.ceil(effect.amount / 2);
    if (effect.typeName !== "file.catalog") return;
    entriesLeft -= 1;
    if (entriesLeft > 0) return;
    onHalfWay();
    await new Promise<never>(() => undefined);
  };
}

/** Stops the report when half of it is merged, after a checkpoint: it reports that and waits forever. */
export const stopInReport: OnMerged = async (done, total) => {
  if (isHalfMerged(done, total)) await new Promise<never>(() => undefined);
};

export function isHalfMerged(done: number, total: number): boolean {
  return done < total && done * 2 >= total;
}
