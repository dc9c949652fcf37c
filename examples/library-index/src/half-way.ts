import type { RecordEffect } from "./effects.ts";

/**
 * Finds the worst moment for a process to die: half of the files are catalogued, an effect is written, and the transaction
 * that it belongs to is not committed. There it calls `tell`, and waits for what comes.
 *
 * @param filesLeft how many files are still to be catalogued; undefined: the scan will tell.
 */
export function stopHalfWay(record: RecordEffect, filesLeft: number | undefined, tell: () => void): RecordEffect {
  let entriesLeft = filesLeft === undefined ? Infinity : Math.ceil(filesLeft / 2);
  return async (tx, effect) => {
    await record(tx, effect);
    if (effect.typeName === "library.index") entriesLeft = Math.ceil(effect.amount / 2);
    if (effect.typeName !== "file.catalog") return;
    entriesLeft -= 1;
    if (entriesLeft > 0) return;
    tell();
    await new Promise<never>(() => undefined);
  };
}
