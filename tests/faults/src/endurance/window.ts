import { loadavg } from "node:os";
import { noSpread } from "./stopwatch.ts";
import type { Spread } from "./stopwatch.ts";
import type { StoreFigures } from "./store-figures.ts";

/** What happened in a span of time. */
export interface Window {
  readonly spreads: ReadonlyMap<string, Spread>;
  /** Jobs that have ended in it. */
  readonly jobs: number;
  /** Jobs that have not ended at its end. */
  readonly open: number;
  readonly from: StoreFigures;
  readonly figures: StoreFigures;
}

/** What the limits depend on. */
interface Test {
  /** Jobs a second. */
  readonly rate: number;
  /** Whether the limits of times apply as well. */
  readonly isTimed: boolean;
}

interface Windows {
  readonly before: Window;
  readonly held: readonly Window[];
  readonly released: readonly Window[];
}

/** As many times as long as in the first window a claim may take in the last one. */
const mostGrowth = 3;
/** Index entries that a claim may read. One that reads those of ended jobs too reads tens of thousands. */
const mostEntries = 5_000;
/** In addition, for each job that a claim takes: an entry, and those of jobs that others hold. */
const entriesPerJob = 10;
/** The dead rows between two runs of autovacuum at these rates. */
const usualDead = 30_000;

/** A sentence for each limit that is exceeded. */
export function exceededBy({ held, released }: Windows, { rate, isTimed }: Test): string[] {
  const [first, last] = [held[0], held.at(-1)];
  if (first === undefined || last === undefined) return ["the snapshot was held for no window"];
  const exceeded: string[] = [];
  const { entries, claims } = entriesOf(last);
  if (entries > claims * mostEntries + entriesPerJob * last.jobs) {
    exceeded.push(`a claim read ${Math.round(entries / claims)} index entries in the last window`);
  }
  const [firstP99, lastP99] = [first, last].map(({ spreads }) => (spreads.get("claim") ?? noSpread).p99);
  if (isTimed && Number(lastP99) > mostGrowth * Number(firstP99)) {
    exceeded.push(`p99 of a claim: ${String(firstP99)} ms in the first window, ${String(lastP99)} ms in the last one`);
  }
  // Of each second, a tenth of the jobs waits for about a second because it is delayed or retried.
  if (last.open > rate) exceeded.push(`${last.open} jobs were open at the end`);
  const dead = released.at(-1)?.figures.dead["open_job"] ?? 0;
  if (dead > usualDead) exceeded.push(`${dead} dead rows of open jobs are left after the snapshot was released`);
  return exceeded;
}

/** Entries of the indexes that claims read. */
function entriesOf({ spreads, from, figures }: Window) {
  const names = ["open_job_ready", "open_job_ranked", "open_job_due", "open_job_due_by_type"];
  const entries = names.reduce((sum, name) => sum + (figures.read[name] ?? 0) - (from.read[name] ?? 0), 0);
  return { entries, claims: Math.max(1, spreads.get("claim")?.count ?? 0) };
}

function pagesPerJob({ jobs, from, figures }: Window): number {
  return (figures.pages - from.pages) / Math.max(1, jobs);
}

export function lineOf(name: string, window: Window): string {
  const { spreads, jobs, open, from, figures } = window;
  const read = Object.entries(figures.read)
    .map(([index, count]) => [index, (count - (from.read[index] ?? 0)) / Math.max(1, jobs)] as const)
    .filter(([, perJob]) => perJob > 1)
    .map(([index, perJob]) => `${index} ${perJob.toFixed(1)}`);
  const dead = Object.entries(figures.dead).map(([table, rows]) => `${table} ${rows}`);
  const sizes = Object.entries(figures.bytes).map(([table, bytes]) => [table, Math.round(bytes / 2 ** 20)] as const);
  return [
    `${name}: ${jobs} jobs ended, ${open} are open; load of the machine ${loadavg()[0]?.toFixed(1)}`,
    `ms (p50/p99/longest): ${[...spreads]
      .map(([kind, spread]) => `${kind} ${msOf(spread)}`)
      .toSorted()
      .join(", ")}`,
    `index entries read by a claim: ${Math.round(entriesOf(window).entries / entriesOf(window).claims)}`,
    `pages of open jobs read for a job: ${pagesPerJob(window).toFixed(1)}; index entries: ${read.join(", ")}`,
    `dead rows: ${dead.join(", ")}`,
    `MiB: ${sizes
      .filter(([, size]) => size > 0)
      .map(([table, size]) => `${table} ${size}`)
      .join(", ")}`,
  ].join("\n  ");
}

function msOf({ p50, p99, most }: Spread): string {
  return `${p50.toFixed(1)}/${p99.toFixed(1)}/${most.toFixed(0)}`;
}
