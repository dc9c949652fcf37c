import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { JobStatus } from "chainwright";
import { bulk, type BulkFlags } from "../bulk/bulk.ts";
import type { Call, Perform } from "../call.ts";
import { filtersOf, jobStatuses, withFilters, type FilterFlags } from "../lists/filters.ts";
import { findId, notFound } from "../lists/find-id.ts";
import { limitOf, pagesOf, usualLimit } from "../lists/walk.ts";
import { dryRunFlag, listed, payloadsFlag, redactFlag, yesFlag } from "../options.ts";
import { counted } from "../text/numbers.ts";
import { jobTable } from "../views/job-view.ts";
import { payloadsBy, type PayloadFlags } from "../views/payload.ts";
import { statusStyle } from "../views/status.ts";

export function addJobs(program: CommandUnknownOpts, perform: Perform): void {
  const jobs = program
    .command("jobs")
    .description("List jobs, explain why one does not run, and run scheduled ones now.");
  withFilters(
    jobs.command("list").description(`List jobs, the newest first; ${usualLimit} without --limit.`),
    "jobs",
    jobStatuses,
  )
    .option("--oldest", "the oldest first")
    .option("--all", "all that match, page by page")
    .option(...payloadsFlag)
    .option(...redactFlag, listed)
    .action(async (options) => await perform(async (call) => await list(call, options)));
  jobs
    .command("explain")
    .description("Say why a job does not run, or how it ended.")
    .argument("<id>", "its id, or the start of it: at least 8 characters")
    .action(async (id) => await perform(async (call) => await explain(call, id)));
  jobs
    .command("trigger")
    .description("Make scheduled jobs ready now.")
    .argument("<ids...>", "whole ids")
    .option(...dryRunFlag)
    .option(...yesFlag)
    .action(async (ids, options) => await perform(async (call) => await trigger(call, ids, options)));
}

interface ListOptions extends FilterFlags, PayloadFlags {
  readonly status?: readonly JobStatus[] | undefined;
  readonly oldest?: true | undefined;
  readonly all?: true | undefined;
}

const mostScanned = 20_000;

async function list(call: Call, options: ListOptions): Promise<number> {
  const { client } = await call.open();
  const table = jobTable(await payloadsBy(options));
  const filters = {
    ...filtersOf(options),
    status: options.status,
    order: options.oldest === true ? ("oldest" as const) : undefined,
  };
  let count = 0;
  for await (const page of pagesOf(
    async (at) => await client.listJobs({ ...filters, ...at, maxScanned: mostScanned }),
    limitOf(options),
  )) {
    call.out.rows(table, page);
    count += page.length;
  }
  if (count === 0) call.out.say("No jobs.", "dim");
  return 0;
}

async function explain({ open, out }: Call, start: string): Promise<number> {
  const { client } = await open();
  const known = await client.explainJob({ id: await findId(start, "job", async (at) => await client.listJobs(at)) });
  if (known === undefined) throw notFound("job", start);
  const { id, chainId, typeName, step, status, pool, dueAt, leasedBy, leasedUntil, summary, blockedBy, workers } =
    known;
  out.facts(
    [
      ["job", id],
      ["chain", chainId],
      ["type", typeName],
      ["step", step],
      ["status", status, statusStyle(status)],
      ["pool", pool],
      ["due", dueAt],
      ["leased by", leasedBy],
      ["leased until", leasedUntil],
      ["workers", workers.length === 0 ? undefined : workers.join(", ")],
      ...blockedBy.map((blocker) => ["waits for", `${blocker.id} ${blocker.typeName} ${blocker.status}`] as const),
      ["why", summary],
    ],
    { id, chainId, typeName, step, status, pool, dueAt, leasedBy, leasedUntil, blockedBy, workers, why: summary },
  );
  return 0;
}

async function trigger(call: Call, ids: readonly string[], options: BulkFlags): Promise<number> {
  const { client } = await call.open();
  const distinct = [...new Set(ids)];
  const question = `Run ${counted(distinct.length, "scheduled job")} now?`;
  const change = async (items: readonly { readonly id: string }[], tx: unknown): Promise<readonly string[]> => {
    await client.triggerJobs({ items, tx });
    return [];
  };
  return await bulk(
    call,
    client,
    { verb: "trigger", past: "triggered", noun: "job", ids: distinct, question, change },
    options,
  );
}
