import { closeSync, fdatasyncSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { answerParent, percentile } from "@chainwright/bench-measuring";
import { measureAppendLoop } from "./append-loop.ts";
import { fill, open, snapshot } from "./large.ts";
import { nameOfStarts, type Order, type Reading } from "./order.ts";
import { openStore } from "./stores.ts";
import { measureStarts, measureValue } from "./work.ts";

answerParent(async (asked): Promise<Reading> => await carryOut(asked as Order));

async function carryOut(order: Order): Promise<Reading> {
  const { run, smoke, folder } = order;
  mkdirSync(folder, { recursive: true });
  switch (order.what) {
    case "starts":
      return { run, name: nameOfStarts(order.store, order.callers, order.syncMs), figure: await starts(order) };
    case "value": {
      const stateAdapter = await openStore(order.store, folder);
      const figure = await measureValue(stateAdapter, smoke ? 500 : order.store === "SQLite, full" ? 10_000 : 50_000);
      await stateAdapter.close();
      return { run, name: `value, ${order.store}`, figure };
    }
    case "syncs":
      return { run, name: order.what, values: syncs(join(folder, "syncs"), smoke ? 20 : 500) };
    default:
      return {
        run,
        name: order.what,
        values: await { fill, open, snapshot }[order.what](join(folder, "large"), smoke),
      };
  }
}

async function starts({ store, callers, syncMs, smoke, folder }: Extract<Order, { what: "starts" }>) {
  const perCaller = syncMs > 0 ? 300 : 1_500;
  const count = smoke
    ? 20 * callers
    : Math.min(perCaller * Math.max(callers, 2), store === "SQLite, full" ? 30_000 : Infinity);
  if (store === "append loop") {
    process.env["SLOW_SYNC_US"] = String(syncMs * 1_000);
    return measureAppendLoop(folder, count, callers);
  }
  const stateAdapter = await openStore(store, folder);
  process.env["SLOW_SYNC_US"] = String(syncMs * 1_000);
  const figure = await measureStarts(stateAdapter, count, callers);
  process.env["SLOW_SYNC_US"] = "0";
  await stateAdapter.close();
  return figure;
}

/** Milliseconds of a bare write of 200 bytes and its sync. */
function syncs(path: string, count: number): Readonly<Record<string, number>> {
  const file = openSync(path, "w");
  const times: number[] = [];
  for (let i = 0; i < count; i += 1) {
    writeSync(file, "x".repeat(200));
    const begunAt = performance.now();
    fdatasyncSync(file);
    times.push(performance.now() - begunAt);
  }
  closeSync(file);
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
}
