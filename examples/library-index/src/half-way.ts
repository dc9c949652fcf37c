import type { RecordEffect } from "./effects.ts";

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
