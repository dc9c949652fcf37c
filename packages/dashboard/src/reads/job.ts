import type { Asked, Context } from "../context.ts";
import type { JobResponse } from "../protocol/reads.ts";
import type { BatchJobView } from "../protocol/views.ts";
import type { AnyJob } from "../views.ts";
import { queries, readQuery } from "../http/query.ts";
import { Refusal } from "../http/refusal.ts";
import { explain } from "./chain.ts";
import { readOrListed } from "./read-or-listed.ts";
import { stepView } from "./steps.ts";

/** Larger than the default limit of a payload; a browser cannot usefully show more. */
const mostBytes = 4_194_304;
const mostBatchJobs = 100;

export async function job(context: Context, { query }: Asked): Promise<JobResponse> {
  const { id } = readQuery(query, queries.byId);
  const { client } = context;
  const found = await readOrListed(
    () => client.getJob({ id }),
    () => client.listJobs({ ids: [id] }),
  );
  if (found === undefined) throw new Refusal(404, "job-not-found", `There is no job ${id}.`);
  return {
    now: context.clock.now(),
    job: await stepView(context, found, { mostBytes }),
    explanation: await explain(context, found),
    batchJobs: await batchJobsOf(context, found),
  };
}

/** One read for the jobs of all its batches: ten for each of the ten errors that are stored, at most. */
async function batchJobsOf({ client }: Context, { errors }: AnyJob): Promise<readonly BatchJobView[]> {
  const ids = [...new Set(errors.flatMap(({ batch }) => batch?.others ?? []))].slice(0, mostBatchJobs);
  if (ids.length === 0) return [];
  const { items } = await client.listJobs({ ids, limit: ids.length, mostPayloadBytes: 0 });
  return items.map(({ id, chainId, status, attempt }) => ({ id, chainId, status, attempt }));
}
