import type { NotedValue } from "chainwright";
import type { ProgressView } from "./protocol/progress.ts";
import type { Redaction, Shown } from "./redaction.ts";

const longestText = 200;
const counters = ["done", "completed", "processed", "current"] as const;

/** What a report of progress says, as far as it can be understood: a number of percent, `{ percent }`, or `{ done, total }`. */
export function progressView(
  { value, at }: NotedValue,
  owner: Omit<Shown, "part">,
  redaction: Redaction,
): ProgressView {
  const seen = redaction(value, { ...owner, part: "progress" });
  return { ...said(seen), at: at.getTime() };
}

function said(value: unknown): Omit<ProgressView, "at"> {
  if (typeof value === "number") return { share: shareOf(value, 100), text: "" };
  if (typeof value === "string") return { share: undefined, text: cut(value) };
  if (typeof value !== "object" || value === null) return { share: undefined, text: "" };
  const report: Readonly<Record<string, unknown>> = { ...value };
  const { percent, total, message } = report;
  const words = typeof message === "string" ? cut(message) : "";
  if (typeof percent === "number") return { share: shareOf(percent, 100), text: words };
  const done = counters.map((name) => report[name]).find((each) => typeof each === "number");
  if (typeof total !== "number" || done === undefined) return { share: undefined, text: words };
  return { share: shareOf(done, total), text: words === "" ? `${done} of ${total}` : words };
}

function shareOf(part: number, whole: number): number | undefined {
  const share = part / whole;
  return Number.isFinite(share) ? Math.min(Math.max(share, 0), 1) : undefined;
}

function cut(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText).toWellFormed()}…`;
}
