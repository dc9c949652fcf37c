import type { LoggedLine, NotedValue } from "chainwright";
import type { Call, Context } from "../context.ts";
import { queries, readQuery } from "../http/query.ts";
import { Refusal } from "../http/refusal.ts";
import { progressView } from "../progress-view.ts";
import type { LineView, LogLevel, NotedView, NotesResponse } from "../protocol/notes.ts";
import type { Redaction, Shown } from "../redaction.ts";
import { payloadView, type AnyJob } from "../views.ts";

const linesOnPage = 200;
const mostMemos = 200;
const mostBytes = 16_384;
const longestMessage = 8_192;
const levels: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** What the handler of a job has noted. */
export async function notes(context: Context, { query }: Call): Promise<NotesResponse> {
  const { id, level, text } = readQuery(query, queries.notes);
  const { client, clock, redaction } = context;
  const [job] = (await client.listJobs({ ids: [id], limit: 1, mostPayloadBytes: 0 })).items;
  const [noted] = await client.listNotes({ items: [{ id }], limit: 0, memos: true });
  if (job === undefined || noted === undefined) throw new Refusal(404, "job-not-found", `There is no job ${id}.`);
  const owner = ownerOf(job);
  const view = (value: NotedValue, where: Shown): NotedView => notedView(value, where, redaction);
  const { progress, checkpoint, memos } = noted;
  return {
    now: clock.now(),
    progress: progress && {
      ...view(progress, { ...owner, part: "progress" }),
      ...progressView(progress, owner, redaction),
    },
    checkpoint: checkpoint && view(checkpoint, { ...owner, part: "checkpoint" }),
    memos: memos
      .slice(0, mostMemos)
      .map((memo) => ({ name: memo.name, ...view(memo, { ...owner, part: "memo", name: memo.name }) })),
    moreMemos: Math.max(0, memos.length - mostMemos),
    ...(await newestLines(context, job, { level: level ?? "debug", text: (text ?? "").toLowerCase() })),
  };
}

interface LineFilter {
  readonly level: LogLevel;
  readonly text: string;
}

/** Compares what is shown, so that a search finds nothing that `redact` hides. A job has a thousand lines at most. */
async function newestLines(
  { client, redaction }: Context,
  job: AnyJob,
  { level, text }: LineFilter,
): Promise<Pick<NotesResponse, "lines" | "moreLines">> {
  const found: LineView[] = [];
  let cursor: string | undefined;
  do {
    const [page] = await client.listNotes({ items: [{ id: job.id, cursor }], limit: linesOnPage, order: "newest" });
    const seen = (page?.lines ?? [])
      .filter((line) => levels.indexOf(line.level) >= levels.indexOf(level))
      .map((line) => lineView(line, job, redaction));
    found.push(...seen.filter((line) => textOf(line).includes(text)));
    cursor = page?.nextCursor;
  } while (cursor !== undefined && found.length <= linesOnPage);
  return { lines: found.slice(0, linesOnPage).toReversed(), moreLines: found.length > linesOnPage };
}

function lineView({ level, message, data, attempt, at }: LoggedLine, job: AnyJob, redaction: Redaction): LineView {
  const owner = ownerOf(job);
  const seen = redaction({ message, data }, { ...owner, part: "log" });
  const shown = isLine(seen) ? seen : { message: seen, data: undefined };
  const whole = typeof shown.message === "string" ? shown.message : (JSON.stringify(shown.message) ?? "");
  const asShown: Redaction = (value) => value;
  return {
    level,
    message: whole.slice(0, longestMessage).toWellFormed(),
    data: payloadView(shown.data, { ...owner, part: "log" }, { redaction: asShown, mostBytes }),
    attempt,
    at: at.getTime(),
  };
}

function isLine(value: unknown): value is { readonly message: unknown; readonly data?: unknown } {
  return typeof value === "object" && value !== null && "message" in value;
}

function textOf({ message, data }: LineView): string {
  return `${message} ${data.kind === "value" ? JSON.stringify(data.value) : ""}`.toLowerCase();
}

function notedView({ value, attempt, at }: NotedValue, where: Shown, redaction: Redaction): NotedView {
  return { value: payloadView(value, where, { redaction, mostBytes }), attempt, at: at.getTime() };
}

function ownerOf({ typeName, chainId }: AnyJob): Omit<Shown, "part"> {
  return { typeName, chainId };
}
