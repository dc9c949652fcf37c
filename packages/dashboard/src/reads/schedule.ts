import type { Call, Context } from "../context.ts";
import type { ScheduleResponse } from "../protocol/reads.ts";
import { queries, readQuery } from "../http/query.ts";
import { pageView, scheduledView } from "../views.ts";
import { totalOf } from "./totals.ts";

export async function schedule({ client, redaction, watch }: Context, { query }: Call): Promise<ScheduleResponse> {
  const { typeName, cursor, limit } = readQuery(query, queries.byType);
  const page = await client.listScheduledJobs({ typeName, cursor, limit, mostPayloadBytes: 0 });
  return {
    ...pageView(page, (job) => scheduledView(job, redaction)),
    total: await totalOf(watch, ["scheduled"], typeName),
  };
}
