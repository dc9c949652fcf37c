import Table from "cli-table3";
import type { DigestCheck } from "./check-digests.ts";
import type { EffectCheck } from "./check-effects.ts";
import type { LibraryReport, Tally } from "./job-types.ts";
import { showPath } from "./show-path.ts";

/** Describes the output of the library's chain. */
export function describeReport(report: LibraryReport): string[] {
  const { text, binary, bytes, lines, words, largest } = report;
  return [
    `text: ${files(text)} with ${count(lines)} lines and ${count(words)} words; binary: ${files(binary)}; ${count(bytes)} bytes in all`,
    ...(largest.length === 0
      ? []
      : [`largest: ${largest.map(({ path, size }) => `${showPath(path)} (${count(size)})`).join(", ")}`]),
    ...describeTallies("left out", report.skipped),
    ...describeTallies("not read", report.unread),
  ];
}

function describeTallies(what: string, tallies: readonly Tally[]): string[] {
  return tallies.map(
    (tally) => `${what}: ${tally.reason} (${count(tally.count)}): ${some(tally.examples, tally.count)}`,
  );
}

/** The highest number of paths in a line. */
const named = 3;

function some(paths: readonly string[], howMany = paths.length): string {
  const shown = paths.slice(0, named).map(showPath);
  return shown.join(", ") + (howMany > shown.length ? " ..." : "");
}

export interface Figures {
  readonly report: LibraryReport;
  readonly effects: EffectCheck;
  readonly workMs: number;
  readonly killed: number;
  readonly workerMemory: number;
}

export function figuresTable({ report, effects, workMs, killed, workerMemory }: Figures): string {
  const table = new Table({
    colAligns: ["left", "right"],
    style: { head: [], border: [] },
    chars: { mid: "", "left-mid": "", "mid-mid": "", "right-mid": "" },
  });
  const perSecond = Math.round((effects.endedNow / workMs) * 1_000);
  table.push(
    ["files", count(report.files)],
    ["chains", count(report.files + 1)],
    ["jobs", count(effects.jobs)],
    ["attempts", count(effects.attempts)],
    ["repeated attempts", count(effects.repeated)],
    ["workers killed", count(killed)],
    ["seconds", (workMs / 1_000).toFixed(1)],
    ["jobs per second", count(perSecond)],
    ["jobs in the best second", count(effects.bestSecond)],
    ["most memory of a worker", `${Math.round(workerMemory / 2 ** 20)} MiB`],
  );
  return table.toString();
}

/** Describes the checks and their violations. If all counts of the last line are zero, everything is right. */
export function describeChecks(
  report: LibraryReport,
  digests: DigestCheck,
  effects: EffectCheck,
): { lines: string[]; right: boolean } {
  const unread = report.unread.reduce((sum, tally) => sum + tally.count, 0);
  // A file's chain that did not end is lost, even if its effects exist.
  const lost = effects.lost + Math.max(0, report.files - digests.files);
  const lines = [
    `${count(digests.right)} of ${count(report.files - unread)} digests recomputed with the same result`,
    `${count(effects.effects)} effects compared with ${count(effects.steps)} completed steps`,
  ];
  if (digests.changed.length > 0) {
    lines.push(
      `changed since it was read, so it cannot be checked: ${files(digests.changed.length)}: ${some(digests.changed)}`,
    );
  }
  if (digests.wrong.length > 0) lines.push(`WRONG DIGESTS: ${some(digests.wrong)}`);
  lines.push(`${count(lost)} lost, ${count(effects.doubled)} doubled, ${count(digests.wrong.length)} wrong`);
  return { lines, right: lost === 0 && effects.doubled === 0 && digests.wrong.length === 0 };
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}

function files(value: number): string {
  return value === 1 ? "1 file" : `${count(value)} files`;
}
