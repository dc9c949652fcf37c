import type { Call, Context } from "../context.ts";
import type { ScheduleAnswer } from "../protocol.ts";
import { queries, readQuery } from "../query.ts";
import { pageView, scheduledView } from "../views.ts";
import { totalOf } from "./totals.ts";

export async function schedule({ client, redaction, watch }: Context, { query }: Call): Promise<ScheduleAnswer> {
  const { typeName, cursor, limit } = readQuery(query, queries.byType);
  const page = await client.listScheduledJobs({ typeName, cursor, limit });
  return {
    ...pageView(page, (job) => scheduledView(job, redaction)),
    total: await totalOf(watch, ["scheduled"], typeName),
  };
}
