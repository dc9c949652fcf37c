import type { JobRecord } from "../model/record.ts";
import { openJobStatuses } from "../model/status.ts";
import type { StoreAccess } from "../engine/engine.ts";
import { everyJob } from "../operations/list-queries.ts";

/** Half a megabyte of usual payloads: of larger pages more is still in use at each garbage collection, and the heap grows. */
const pageSize = 250;

/** Pages of open jobs of one type, or of all types, in the order of their ids. */
export async function* openJobs(
  { state, callOptions }: StoreAccess,
  typeName: string | undefined,
  limit: number,
): AsyncGenerator<readonly JobRecord[]> {
  const typeNames = typeName === undefined ? undefined : [typeName];
  let after: string | undefined;
  for (let left = limit; left > 0; left -= pageSize) {
    const size = Math.min(left, pageSize);
    const query = { ...everyJob, after, typeNames, statuses: openJobStatuses, limit: size };
    const page = await state.listJobs(query, callOptions());
    yield page;
    if (page.length < size) return;
    after = page.at(-1)?.id;
  }
}
