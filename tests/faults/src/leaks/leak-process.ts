/** Carries out its orders, reports what has grown, closes everything, and must then end by itself. */
import { setTimeout as delay } from "node:timers/promises";
import { growthsOf, takeCensus } from "./census.ts";
import type { Census, Growth } from "./census.ts";
import { pairs } from "./pairs.ts";
import type { PairName, PairPlace } from "./pairs.ts";
import { openRig } from "./rig.ts";
import type { Rig } from "./rig.ts";
import { createJobsTrial, createReconnectsTrial, createWaitsTrial } from "./trials.ts";
import type { Trial, TrialName } from "./trials.ts";

export interface LeakOrders {
  readonly pair: PairName;
  readonly place: PairPlace;
  /** How often each is done. */
  readonly times: Readonly<Record<TrialName, number>>;
}

/** Its output, one line of JSON each. */
export type LeakReport =
  | ({ readonly trial: TrialName; readonly times: number; readonly ms: number } & Growth)
  | { readonly warning: string }
  | { readonly closed: true };

const patience = 20;
const orders = JSON.parse(process.argv[2] ?? "") as LeakOrders;

function say(report: LeakReport): void {
  process.stdout.write(`${JSON.stringify(report)}\n`);
}

// For example the warning about too many listeners.
process.on("warning", (warning) => {
  if (warning.name !== "ExperimentalWarning") say({ warning: String(warning) });
});

/**
 * The first half is a warm-up: afterwards everything that is compiled or opened once exists. What has grown in the second half and does not
 * grow in a third one is no leak: a pool opens its connections again when it needs them, so how many there are after a cut varies.
 */
async function perform(rig: Rig, name: TrialName, { round, perRound }: Trial): Promise<void> {
  const began = performance.now();
  const half = Math.ceil(orders.times[name] / perRound / 2);
  const run = async (): Promise<void> => {
    for (let each = 0; each < half; each += 1) await round();
  };
  await run();
  let before = await takeCensus(rig.emitters);
  await run();
  let after = await takeCalmCensus(rig, before);
  let halves = 2;
  if (growthsOf({ before, after }).length > 0) {
    before = after;
    await run();
    after = await takeCalmCensus(rig, before);
    halves += 1;
  }
  say({ trial: name, times: halves * half * perRound, ms: performance.now() - began, before, after });
}

/** Clients keep some resources for a moment, such as a timer until a socket has closed. */
async function takeCalmCensus(rig: Rig, before: Census): Promise<Census> {
  let after = await takeCensus(rig.emitters);
  for (let tries = 0; tries < patience && growthsOf({ before, after }).length > 0; tries += 1) {
    await delay(250);
    after = await takeCensus(rig.emitters);
  }
  return after;
}

const rig = await openRig(await pairs[orders.pair].open(orders.place));
await perform(rig, "jobs", createJobsTrial(rig));
await perform(rig, "waits", await createWaitsTrial(rig));
const reconnects = await createReconnectsTrial(rig);
if (reconnects !== undefined) await perform(rig, "reconnects", reconnects);
await rig.close();
say({ closed: true });
