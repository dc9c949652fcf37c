import { checkId, checkInteger, checkKeys, checkText, isList } from "../checks/check-options.ts";
import type { UnreadableInput } from "../checks/unreadable-input.ts";
import type { StoreAccess } from "../engine/engine.ts";
import type { JobRecord } from "../model/record.ts";
import { openJobStatuses } from "../model/status.ts";
import type { JobQuery } from "../ports/query.ts";
import type { InTransaction } from "../types/list-options.ts";
import type { UnreadableJob, UnreadableJobs, UnreadableOptions } from "../types/unreadable.ts";
import { checkLimit, everyJob } from "./list-queries.ts";
import { whyJobUnreadable } from "./why-job-unreadable.ts";

type Options = UnreadableOptions & InTransaction<unknown>;

const unreadableKeys = {
  typeName: true,
  cursor: true,
  limit: true,
  maxScanned: true,
  tx: true,
} satisfies Record<keyof Options, true>;

const pageSize = 1_000;
const defaultMaxScanned = 10_000;

/** The open jobs that this code cannot read, in the order of their ids. It reads all open jobs, page by page, and their blockers, and lifts each. */
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
  return { ...everyJob, after, limit, typeNames, statuses: openJobStatuses };
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
