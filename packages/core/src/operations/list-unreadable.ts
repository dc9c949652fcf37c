import { readAttemptErrors } from "../checks/attempt-errors.ts";
import { checkId, checkInteger, checkKeys, checkText, isList } from "../checks/check-options.ts";
import { whyUnreadable } from "../checks/readability.ts";
import type { UnreadableInput } from "../checks/unreadable-input.ts";
import type { StoreAccess } from "../engine/engine.ts";
import type { ChainRecord, JobRecord } from "../model/record.ts";
import type { JobStatus } from "../model/status.ts";
import type { JobQuery } from "../ports/query.ts";
import type { InTransaction } from "../types/list-options.ts";
import type { UnreadableJob, UnreadableJobs, UnreadableOptions } from "../types/unreadable.ts";
import { checkLimit, everyJob } from "./list-queries.ts";

type Options = UnreadableOptions & InTransaction<unknown>;

const unreadableKeys = {
  typeName: true,
  cursor: true,
  limit: true,
  maxScanned: true,
  tx: true,
} satisfies Record<keyof Options, true>;

const openStatuses: readonly JobStatus[] = ["blocked", "scheduled", "ready", "running"];
const pageSize = 1_000;
const defaultMaxScanned = 10_000;

/** The open jobs that this code cannot read, in the order of their ids. It reads all open jobs, page by page, and lifts each. */
export async function listUnreadable(store: StoreAccess, options: Options = {}): Promise<UnreadableJobs> {
  checkKeys(options, unreadableKeys, "listUnreadable");
  const limit = checkLimit(options.limit);
  const maxScanned = checkInteger(options.maxScanned ?? defaultMaxScanned, "maxScanned", { min: 1, max: 2 ** 31 });
  const items: UnreadableJob[] = [];
  let after = options.cursor === undefined ? undefined : checkId(options.cursor, "cursor");
  let scanned = 0;
  for (;;) {
    const size = Math.min(pageSize, maxScanned - scanned);
    const page = await store.state.listJobs(queryOf(options, after, size), store.callOptions(options.tx));
    for (const job of page) {
      const error = await whyJobUnreadable(store, job, options.tx);
      if (error !== undefined) items.push(unreadableJob(job, error));
      scanned += 1;
      after = job.id;
      if (items.length >= limit) return { items, scanned, nextCursor: after };
    }
    if (page.length < size) return { items, scanned, nextCursor: undefined };
    if (scanned >= maxScanned) return { items, scanned, nextCursor: after };
  }
}

function queryOf({ typeName }: Options, after: string | undefined, limit: number): JobQuery {
  const names = typeName === undefined || isList(typeName) ? typeName : [typeName];
  const typeNames = names?.map((name) => checkText(name, "typeName", 1_000));
  return { ...everyJob, after, limit, typeNames, statuses: openStatuses };
}

/** The blockers of a job are read only if its last attempt could not read something: that costs one more read for each such job. */
async function whyJobUnreadable(store: StoreAccess, job: JobRecord, tx: unknown): Promise<UnreadableInput | undefined> {
  const { typeName, version } = job;
  const own = await whyUnreadable(
    store.types,
    { payload: "input", typeName, version },
    { text: job.input, by: "handler" },
  );
  if (own !== undefined || readAttemptErrors(job.errors).at(-1)?.name !== "input-unreadable") return own;
  const query = { jobId: job.id, afterPosition: undefined, limit: pageSize };
  for (const { chain } of await store.state.listBlockers(query, store.callOptions(tx))) {
    const error = await whyBlockerUnreadable(store, chain);
    if (error !== undefined) return error;
  }
  return undefined;
}

async function whyBlockerUnreadable({ types }: StoreAccess, chain: ChainRecord): Promise<UnreadableInput | undefined> {
  const { typeName, version, input, output, outputVersion, outputTypeName = typeName } = chain;
  const given = await whyUnreadable(types, { payload: "input", typeName, version }, { text: input, by: "reader" });
  if (given !== undefined || output === undefined) return given;
  const stored = { payload: "output", typeName: outputTypeName, version: outputVersion } as const;
  return await whyUnreadable(types, stored, { text: output, by: "reader" });
}

function unreadableJob({ id, chainId, typeName, status }: JobRecord, error: UnreadableInput): UnreadableJob {
  const { payload, typeName: ofTypeName, version } = error.stored;
  return {
    id,
    chainId,
    typeName,
    status,
    payload,
    ofTypeName,
    version,
    reason: error.why,
    issues: error.issues,
    summary: error.message,
  };
}
