import { describeError } from "../../checks/describe-error.ts";
import { storableText } from "../../checks/storable-text.ts";
import { mostLineBytes, mostLogLines, type LogLevel, type LogLine, type Reports } from "../../model/note.ts";

/** What an attempt has reported and is not known to be written: the last progress, and the newest lines. */
export interface ReportBuffer {
  setProgress(text: string): void;
  addLine(level: LogLevel, message: string, data: unknown): void;
  /** Takes out all for a call, until `written` or `putBack`. Undefined: there is nothing. */
  take(): Reports | undefined;
  /** All, with what a call is about to write: that call may fail, and a line is written once. Undefined: there is nothing. */
  peek(): Reports | undefined;
  /** The call that took it out need not be made again. */
  written(): void;
  /** Puts back what could not be written, before what came since. */
  putBack(reports: Reports): void;
}

interface BufferOptions {
  readonly attempt: number;
  /** Of the claim. */
  readonly fence: number;
  readonly now: () => number;
  /** Called with the number of lines that are given up, because newer ones came before they were written. */
  readonly onDropped: (count: number) => void;
}

/** So many lines fit between the places of two claims. */
const linesPerClaim = 2 ** 32;

export function createReportBuffer({ attempt, fence, now, onDropped }: BufferOptions): ReportBuffer {
  let progress: string | undefined;
  let lines: LogLine[] = [];
  let count = 0;
  let inCall: Reports | undefined;

  const keepNewest = (): void => {
    const dropped = lines.length - mostLogLines;
    if (dropped <= 0) return;
    lines = lines.slice(dropped);
    onDropped(dropped);
  };
  const reportsOf = (all: readonly LogLine[], last: string | undefined): Reports | undefined => {
    if (last === undefined && all.length === 0) return undefined;
    return { attempt, progress: last, lines: all.length === 0 ? undefined : all };
  };
  return {
    setProgress(text) {
      progress = text;
    },
    addLine(level, message, data) {
      const seq = fence * linesPerClaim + count;
      count += 1;
      lines.push({ seq, at: now(), level, message: storableText(message, mostLineBytes), data: dataText(data) });
      // Rarely, so that a line costs no copy of all.
      if (lines.length >= 2 * mostLogLines) keepNewest();
    },
    peek() {
      keepNewest();
      if (inCall === undefined) return reportsOf(lines, progress);
      return reportsOf([...(inCall.lines ?? []), ...lines].slice(-mostLogLines), progress ?? inCall.progress);
    },
    take() {
      keepNewest();
      inCall = reportsOf(lines, progress);
      progress = undefined;
      lines = [];
      return inCall;
    },
    written() {
      inCall = undefined;
    },
    putBack(reports) {
      inCall = undefined;
      progress ??= reports.progress;
      lines = [...(reports.lines ?? []), ...lines];
      keepNewest();
    },
  };
}

/** A log must not fail: what JSON cannot carry is described. */
function dataText(data: unknown): string | undefined {
  if (data === undefined) return undefined;
  try {
    const text = JSON.stringify(data, describing);
    if (typeof text !== "string") return undefined;
    if (text.length <= mostLineBytes) return text;
    return JSON.stringify({ leftOut: `${text.length} characters; a line has at most ${mostLineBytes}` });
  } catch {
    return JSON.stringify({ leftOut: "it cannot be stored as JSON" });
  }
}

function describing(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  return value instanceof Error ? describeError(value) : value;
}
