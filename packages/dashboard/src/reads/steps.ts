import type { JobNotes, LostWorkerInfo } from "chainwright";
import type { Call, Context } from "../context.ts";
import type { BlockersResponse, DependentsResponse, StepsResponse } from "../protocol/reads.ts";
import type { BlockerView, ChainStatus, Page, StepView } from "../protocol/views.ts";
import { lostAttemptsView, lostWorkersOf } from "./lost-attempts.ts";
import { queries, readQuery } from "../http/query.ts";
import { Refusal } from "../http/refusal.ts";
import { progressView } from "../progress-view.ts";
import { blockerView, dependentView, errorsView, inFull, pageView, storedPayloadView, type AnyJob } from "../views.ts";

/** Steps per page, each with its blockers. */
const stepsOnPage = 50;
const blockersOnPage = 20;
const dependentsOnPage = 50;

export async function steps(context: Context, { query }: Call): Promise<StepsResponse> {
  const { id, around, ...page } = readQuery(query, queries.steps);
  return await (around === undefined ? pageOfSteps(context, id, page) : pageAround(context, id, around));
}

/** The page with a step in its middle, so that a link to any step of a long chain costs as much as its first page. */
async function pageAround(context: Context, id: string, step: string): Promise<Page<StepView>> {
  const { client } = context;
  const half = stepsOnPage / 2;
  const before = await client.listChainJobs({ id, order: "newest", cursor: step, limit: half, mostPayloadBytes: 0 });
  const page = await pageOfSteps(context, id, {
    cursor: before.items.length < half ? undefined : before.items.at(-1)?.id,
  });
  if (page.items.some((each) => each.id === step)) return page;
  throw new Refusal(404, "step-not-found", `Chain ${id} has no step ${step}.`);
}

export async function blockers(context: Context, { query }: Call): Promise<BlockersResponse> {
  const { id, cursor, status } = readQuery(query, queries.blockers);
  return await pageOfBlockers(context, id, { cursor, blockerStatus: status });
}

export async function dependents(context: Context, { query }: Call): Promise<DependentsResponse> {
  const { id, cursor } = readQuery(query, queries.byId);
  return await pageOfDependents(context, id, cursor);
}

interface StepPage {
  readonly order?: "oldest" | "newest" | undefined;
  readonly cursor?: string | undefined;
}

export async function pageOfSteps(
  context: Context,
  id: string,
  { order = "oldest", cursor }: StepPage = {},
): Promise<Page<StepView>> {
  const page = await context.client.listChainJobs({
    id,
    order,
    cursor,
    limit: stepsOnPage,
    mostPayloadBytes: context.mostInlineBytes,
  });
  const notes = await context.latestNotes(page.items);
  const lostWorkers = await lostWorkersOf(context, page.items);
  const blockersOf = await firstBlockers(context, page.items);
  const items = await Promise.all(page.items.map((job) => stepView(context, job, { notes, lostWorkers, blockersOf })));
  return { ...pageView(page, (job) => job), items };
}

interface StepOptions {
  /** Payloads up to this size are in it. */
  readonly mostBytes?: number;
  /** What the steps of its page have noted. */
  readonly notes?: ReadonlyMap<string, JobNotes>;
  /** Those that were lost with attempts of the steps of its page. */
  readonly lostWorkers?: readonly LostWorkerInfo[];
  /** The first blockers of the steps of its page, by their ids. */
  readonly blockersOf?: ReadonlyMap<string, Page<BlockerView>>;
}

/** A step with its blockers, and its payloads. */
export async function stepView(context: Context, job: AnyJob, options: StepOptions = {}): Promise<StepView> {
  const { redaction, latestNotes, mostInlineBytes } = context;
  const { mostBytes = mostInlineBytes, notes = await latestNotes([job]) } = options;
  const progress = notes.get(job.id)?.progress;
  const { blockersOf, lostWorkers = await lostWorkersOf(context, [job]) } = options;
  const { id, chainId, typeName, step, status, priority, attempt, leasedBy, continuedAs, blockersLeft } = job;
  const payload = (part: "input" | "output") =>
    storedPayloadView(job, { part, typeName, chainId }, { redaction, mostBytes });
  return {
    id,
    chainId,
    typeName,
    step,
    status,
    pool: job.pool,
    version: job.version,
    priority,
    attempt,
    createdAt: job.createdAt.getTime(),
    scheduledAt: job.scheduledAt?.getTime(),
    waitsUntil: job.waitsUntil?.getTime(),
    startedAt: job.startedAt?.getTime(),
    leasedBy,
    leasedUntil: job.leasedUntil?.getTime(),
    endedAt: job.endedAt?.getTime(),
    continuedAs,
    blockersLeft,
    onBlockerFailure: job.onBlockerFailure,
    input: payload("input"),
    output: payload("output"),
    errors: errorsView(job, { redaction, detail: inFull }),
    lostAttempts: lostAttemptsView(job, lostWorkers),
    blockers: blockersOf?.get(id) ?? (await pageOfBlockers(context, id)),
    progress: progress && progressView(progress, job, redaction),
  };
}

interface BlockerPage {
  readonly cursor?: string | undefined;
  readonly blockerStatus?: readonly ChainStatus[] | undefined;
}

async function pageOfBlockers(
  { client, redaction }: Context,
  id: string,
  asked: BlockerPage = {},
): Promise<Page<BlockerView>> {
  const page = await client.listJobBlockers({ id, ...asked, limit: blockersOnPage, mostPayloadBytes: 0 });
  return pageView(page, (blocker) => blockerView(blocker, redaction));
}

/** In one read for all of the page. */
async function firstBlockers(
  { client, redaction }: Context,
  jobs: readonly AnyJob[],
): Promise<ReadonlyMap<string, Page<BlockerView>>> {
  const ids = jobs.map(({ id }) => id);
  const pages = await client.listManyBlockers({ ids, limit: blockersOnPage, mostPayloadBytes: 0 });
  const views = pages.map((page) => pageView(page, (blocker) => blockerView(blocker, redaction)));
  return new Map(jobs.flatMap(({ id }, at) => (views[at] === undefined ? [] : [[id, views[at]] as const])));
}

export async function pageOfDependents({ client }: Context, id: string, cursor?: string): Promise<DependentsResponse> {
  return pageView(
    await client.listBlockedJobs({ id, cursor, limit: dependentsOnPage, mostPayloadBytes: 0 }),
    dependentView,
  );
}
