import { errorText } from "../model/error-text.ts";
import type { ChainwrightEvent } from "../model/event.ts";
import type { Timer } from "../ports/clock.ts";
import { reportOf, type Report } from "./failure-reports.ts";

/** Reports failures to people while an application has no observers. */
export interface FailureReporter {
  observe(event: ChainwrightEvent): void;
  /** Reports what was left out, and ends the timer. */
  close(): void;
}

export interface FailureReporterOptions {
  readonly write: (text: string) => void;
  /** Sets a timer that does not keep the process running. */
  readonly setTimer: (callback: () => void, delayMs: number) => Timer;
}

/** Of one kind, the first report is written at once, and later ones are counted and written together after this time. */
const intervalMs = 60_000;
/** More kinds than these are counted together. */
const mostKinds = 100;
const otherKinds = "other kinds";
const longestText = 4_000;

const whyReported =
  "Chainwright reports failures here, because createClient got no observers. Set observers to report them elsewhere; " +
  "observers: [] reports nothing.";

/** Reports of one kind that were not written. */
interface LeftOut {
  count: number;
  last: string;
}

export function createFailureReporter({ write, setTimer }: FailureReporterOptions): FailureReporter {
  const kinds = new Map<string, LeftOut>();
  let timer: Timer | undefined;
  let isFirst = true;

  const summarize = (): void => {
    for (const [key, leftOut] of kinds) {
      if (leftOut.count === 0) kinds.delete(key);
      else write(`[chainwright] ${leftOut.count} more like this, the last one: ${leftOut.last}`);
      leftOut.count = 0;
    }
  };
  const tick = (): void => {
    summarize();
    timer = kinds.size === 0 ? undefined : setTimer(tick, intervalMs);
  };
  const add = (report: Report): void => {
    const key = kinds.has(report.key) || kinds.size < mostKinds ? report.key : otherKinds;
    const known = kinds.get(key);
    if (known !== undefined) {
      known.count += 1;
      known.last = lineOf(report);
      return;
    }
    kinds.set(key, { count: 0, last: "" });
    timer ??= setTimer(tick, intervalMs);
    write(textOf(report, isFirst));
    isFirst = false;
  };

  return {
    observe(event) {
      const report = reportOf(event);
      if (report !== undefined) add(report);
    },
    close() {
      timer?.cancel();
      timer = undefined;
      summarize();
      kinds.clear();
    },
  };
}

function textOf({ text, error }: Report, withReason: boolean): string {
  const lines = [cut(`[chainwright] ${text}`)];
  if (error !== undefined) lines.push(cut(errorText(error)));
  if (withReason) lines.push(whyReported);
  return lines.join("\n");
}

function lineOf({ text, error }: Report): string {
  return cut(error === undefined ? text : `${text} ${error.name}: ${error.message}`);
}

/** Control characters of a message must not reach a terminal. */
function cut(text: string): string {
  const short = text.length <= longestText ? text : `${text.slice(0, longestText)}…`;
  return short.toWellFormed().replaceAll(/(?![\n\t])\p{Cc}/gu, "\uFFFD");
}
