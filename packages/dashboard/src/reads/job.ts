import type { Asked, Context } from "../context.ts";
import type { JobResponse } from "../protocol/reads.ts";
import { queries, readQuery } from "../http/query.ts";
import { Refusal } from "../http/refusal.ts";
import { explain } from "./chain.ts";
import { readOrListed } from "./read-or-listed.ts";
import { stepView } from "./steps.ts";

/** Larger than the default limit of a payload; a browser cannot usefully show more. */
const mostBytes = 4_194_304;

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
  };
}
