import { answerParent, type Servers } from "@chainwright/bench-measuring";
import { measureProcessed, measureWaiting, type Growth } from "./growth.ts";
import { weighLifecycle, type Footprint } from "./lifecycle.ts";
import { allRows } from "./rows/all.ts";
import type { Row } from "./row.ts";
import type { Measure, Settings } from "./settings.ts";

/** The orders for the process of one row. */
export interface Request {
  readonly name: string;
  readonly measure: Measure;
  readonly settings: Settings;
  readonly servers: Servers;
}

export type Figures = { readonly name: string } & ({ readonly footprint: Footprint } | { readonly growth: Growth });

answerParent(async (asked, progress): Promise<Figures> => {
  const request = asked as Request;
  const row = allRows.find(({ name }) => name === request.name);
  if (row === undefined) throw new Error(`there is no row "${request.name}"`);
  return request.measure === "lifecycle"
    ? { name: row.name, footprint: await weigh(row, request, progress) }
    : { name: row.name, growth: await grow(row, request, progress) };
});

/** What runs for the first time loads and compiles itself, which is not what it holds later: those runs are discarded. */
async function weigh(row: Row, { settings, servers }: Request, progress: (step: string) => void): Promise<Footprint> {
  const prepared = await row.prepare(servers);
  for (let run = 0; run < settings.warmUps; run += 1) {
    progress("warm-up");
    await weighLifecycle(prepared, settings);
  }
  progress("lifecycle");
  const footprint = await weighLifecycle(prepared, settings);
  await prepared.close();
  return footprint;
}

async function grow(row: Row, { settings, servers }: Request, progress: (step: string) => void): Promise<Growth> {
  progress("waiting jobs");
  const first = await row.prepare(servers);
  const perWaitingJob = await measureWaiting(first, settings.waiting);
  await first.close();
  const second = await row.prepare(servers);
  const processed = await measureProcessed(second, settings.processed, progress);
  await second.close();
  return { perWaitingJob, ...processed };
}
