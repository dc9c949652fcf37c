import {
  isChainwrightError,
  type AnyClient,
  type AttemptError,
  type Chain,
  type JobExplanation,
  type Page as ClientPage,
  type StoredJob,
  type WorkerInfo,
} from "chainwright";
import { causeLines } from "chainwright/adapter";
import { limitKeyView, withoutHiddenKeys } from "./limit-views.ts";
import type { WorkerView } from "./protocol/overview.ts";
import type { ScheduledView } from "./protocol/reads.ts";
import type {
  BatchView,
  BlockerView,
  ChainView,
  DependentView,
  ErrorView,
  ExplanationView,
  Page,
  PayloadView,
  TagView,
} from "./protocol/views.ts";
import type { Redaction, Shown } from "./redaction.ts";

/** A job of any type. */
export type AnyJob = StoredJob<string, unknown, unknown>;

/** How many characters of an error are shown. */
export interface ErrorDetail {
  readonly message: number;
  /** 0: no stack. */
  readonly stack: number;
}

const inLists: ErrorDetail = { message: 300, stack: 0 };
export const inFull: ErrorDetail = { message: 20_000, stack: 20_000 };
export const longestReason = 2_000;
const mostTags = 20;
const longestTag = 600;
const mostTypeNames = 100;
const mostPools = 10;
const mostErrors = 20;
const mostCauses = 10;
const mostOthers = 10;

type Owner = Omit<Shown, "part">;

export function chainView(chain: Chain, redaction: Redaction, detail: ErrorDetail = inLists): ChainView {
  const owner = { typeName: chain.typeName, chainId: chain.id };
  return {
    id: chain.id,
    typeName: chain.typeName,
    status: chain.status,
    createdAt: chain.createdAt.getTime(),
    endedAt: chain.endedAt?.getTime(),
    error: chain.error === undefined ? undefined : errorView(chain.error, owner, { redaction, detail }),
    reason:
      chain.reason === undefined
        ? undefined
        : redactedText(chain.reason, { ...owner, part: "reason" }, redaction, longestReason),
    tags: tagsView(redaction(chain.tags, { ...owner, part: "tags" })),
    deduplicationKey:
      chain.deduplicationKey === undefined
        ? undefined
        : redactedText(chain.deduplicationKey, { ...owner, part: "deduplicationKey" }, redaction, longestReason),
  };
}

/** `redact` may return anything: a value that is not an object becomes a value without a name. */
function tagsView(tags: unknown): readonly TagView[] {
  if (tags === undefined) return [];
  const entries = typeof tags === "object" && tags !== null ? Object.entries(tags) : [["", tags] as const];
  return entries
    .slice(0, mostTags)
    .map(([name, value]) => ({ name: cut(name, longestTag), value: cut(textOf(value), longestTag) }))
    .toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

export function errorsView(
  job: AnyJob,
  { redaction, detail }: { readonly redaction: Redaction; readonly detail: ErrorDetail },
): readonly ErrorView[] {
  return job.errors.slice(-mostErrors).map((error) => errorView(error, job, { redaction, detail }));
}

export function errorView(
  error: AttemptError,
  { typeName, chainId }: Owner,
  { redaction, detail = inLists }: { readonly redaction: Redaction; readonly detail?: ErrorDetail },
): ErrorView {
  const seen = redaction(
    { name: error.name, message: error.message, stack: error.stack, causes: causeLines(error) },
    { part: "error", typeName, chainId },
  );
  // `redact` may return anything: a value that is not an error becomes the message.
  const { name, message, stack, causes } = isErrorShape(seen)
    ? seen
    : { name: "", message: textOf(seen), stack: undefined, causes: undefined };
  return {
    attempt: error.attempt,
    at: error.at,
    workerId: error.workerId,
    uncounted: error.uncounted === true,
    decidedByWhen: error.decidedBy === "when",
    batch: error.batch && batchView(error.batch),
    name: cut(textOf(name), 200),
    message: cut(textOf(message), detail.message),
    stack: stack === undefined || detail.stack === 0 ? undefined : cut(textOf(stack), detail.stack),
    causes: Array.isArray(causes) ? causes.slice(0, mostCauses).map((cause) => cut(textOf(cause), detail.message)) : [],
  };
}

function batchView({ size, halvings, others }: NonNullable<AttemptError["batch"]>): BatchView {
  return { size, halvings, others: others.slice(0, mostOthers) };
}

function isErrorShape(value: unknown): value is { name: unknown; message: unknown; stack: unknown; causes?: unknown } {
  return typeof value === "object" && value !== null && "name" in value && "message" in value && "stack" in value;
}

/** A payload of a record as it was read: in a list, that of an unreadable record throws. */
export function storedPayloadView(
  record: { readonly input: unknown; readonly output?: unknown } & Pick<AnyJob, "unreadable" | "omitted">,
  where: Shown & { readonly part: "input" | "output" },
  options: { readonly redaction: Redaction; readonly mostBytes: number },
): PayloadView {
  const bytes = record.omitted?.[where.part];
  if (bytes !== undefined) return { kind: "large", bytes };
  try {
    return payloadView(record[where.part], where, options);
  } catch (error) {
    if (!isChainwrightError(error, "input-unreadable")) throw error;
    return { kind: "unreadable", summary: error.message };
  }
}

/** A redacted payload, or only its size if it is larger than `mostBytes`. */
export function payloadView(
  value: unknown,
  where: Shown,
  { redaction, mostBytes }: { readonly redaction: Redaction; readonly mostBytes: number },
): PayloadView {
  if (value === undefined) return { kind: "none" };
  const seen = redaction(value, where);
  const text = jsonOf(seen);
  if (text === undefined) return { kind: "none" };
  const bytes = Buffer.byteLength(text);
  return bytes > mostBytes ? { kind: "large", bytes } : { kind: "value", value: seen, bytes };
}

function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    // Nested too deep to serialise again, or redacted to a value that JSON cannot represent.
    return JSON.stringify("[cannot be shown]");
  }
}

export function blockerView(blocker: Chain & { readonly position: number }, redaction: Redaction): BlockerView {
  return { position: blocker.position, chain: chainView(blocker, redaction) };
}

export function dependentView({ id, chainId, typeName, status, createdAt }: AnyJob): DependentView {
  return { id, chainId, typeName, status, createdAt: createdAt.getTime() };
}

export function scheduledView(job: AnyJob, redaction: Redaction): ScheduledView {
  const { lastError } = job;
  return {
    id: job.id,
    chainId: job.chainId,
    typeName: job.typeName,
    pool: job.pool,
    dueAt: job.scheduledAt?.getTime() ?? job.createdAt.getTime(),
    attempt: job.attempt,
    lastError: lastError === undefined ? undefined : errorView(lastError, job, { redaction }),
  };
}

export function explanationView(explanation: JobExplanation, owner: Owner, redaction: Redaction): ExplanationView {
  const {
    id,
    status,
    reason,
    lastError,
    blockedBy,
    blockers,
    dueAt,
    leasedBy,
    leasedUntil,
    ahead,
    workers,
    limitedBy,
  } = explanation;
  return {
    jobId: id,
    status,
    summary: withoutHiddenKeys(reason, limitedBy, redaction),
    limitedBy: limitedBy.map((info) => limitKeyView(info, redaction)),
    lastError: lastError === undefined ? undefined : errorView(lastError, owner, { redaction }),
    blockedBy,
    blockers,
    dueAt: dueAt?.getTime(),
    leasedBy,
    leasedUntil: leasedUntil?.getTime(),
    ahead,
    workers: workers.slice(0, mostTypeNames),
  };
}

export function workerView(worker: WorkerInfo): WorkerView {
  return {
    id: worker.id,
    name: worker.name,
    typeNames: worker.typeNames.slice(0, mostTypeNames),
    moreTypeNames: Math.max(0, worker.typeNames.length - mostTypeNames),
    pools: worker.pools.slice(0, mostPools),
    packageVersion: worker.packageVersion,
    codeVersion: worker.codeVersion,
    concurrency: worker.concurrency,
    holds: worker.holds,
    startedAt: worker.startedAt.getTime(),
    lastSeenAt: worker.lastSeenAt.getTime(),
  };
}

export function pageView<Item, View>(page: ClientPage<Item>, view: (item: Item) => View): Page<View> {
  return { items: page.items.map(view), nextCursor: page.nextCursor, now: Date.now(), searchedTo: undefined };
}

/** Returns the newest step of a chain: the open one, or the one where the chain ended. */
export async function lastStepOf(
  client: AnyClient,
  id: string,
  mostPayloadBytes?: number,
): Promise<AnyJob | undefined> {
  const { items } = await client.listChainJobs({ id, order: "newest", limit: 1, mostPayloadBytes });
  return items[0];
}

/** A text after `redact`, which may return anything. */
export function redactedText(text: string, where: Shown, redaction: Redaction, longest: number): string {
  return cut(textOf(redaction(text, where)), longest);
}

export function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest).toWellFormed()}…`;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (jsonOf(value) ?? "");
}
