import { z } from "zod";
import { shownChain } from "./chain-reply.ts";
import { timeOf } from "./shown.ts";
import { defineTool, type Tool } from "./tool.ts";

const readOnly = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const mostChains = 50;
const longestText = 1_000;

export const id = z.uuid().describe("The id of a chain or a job.");
const typeName = z.string().min(1).max(longestText).describe("The name of a job type.");
const moment = z.iso.datetime({ offset: true });

const listChains = defineTool({
  name: "list_chains",
  description:
    "Lists chains of background jobs, the newest first, each with the step where it is and its last error. Continue with nextCursor.",
  schema: z.strictObject({
    type: typeName.describe("Only chains whose first step has this type.").optional(),
    status: z.enum(["active", "completed", "failed", "cancelled"]).optional(),
    since: moment.describe("Only chains created then or later, in ISO 8601.").optional(),
    until: moment.describe("Only chains created before, in ISO 8601.").optional(),
    errorText: z.string().min(1).max(longestText).describe("Only chains whose error contains this text.").optional(),
    cursor: z.string().max(100).describe("The nextCursor of the page before.").optional(),
    limit: z.int().min(1).max(mostChains).default(20),
  }),
  annotations: { title: "List chains", ...readOnly },
  needs: undefined,
  run: async ({ reads }, { type, status, since, until, errorText, cursor, limit }) => {
    const given = {
      typeName: type,
      status,
      from: millisecondsOf(since),
      until: millisecondsOf(until),
      errorText,
      cursor,
      limit: String(limit),
    };
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(given)) if (value !== undefined) query.set(name, value);
    const page = await reads.chains(query);
    return {
      facts: { found: page.items.length, nextCursor: page.nextCursor, now: timeOf(page.now) },
      untrusted: page,
    };
  },
});

const getChain = defineTool({
  name: "get_chain",
  description:
    "Shows a chain: its steps with inputs, outputs and errors, what it waits for, and why it is not running.",
  schema: z.strictObject({ id }),
  annotations: { title: "Show a chain", ...readOnly },
  needs: undefined,
  run: async ({ reads }, given) => await shownChain(reads, given.id),
});

const explainJob = defineTool({
  name: "explain_job",
  description: "Shows one step of a chain, and says why it is not running.",
  schema: z.strictObject({ id }),
  annotations: { title: "Explain a job", ...readOnly },
  needs: undefined,
  run: async ({ reads }, given) => {
    const found = await reads.job(given.id);
    const { chainId, status, step, attempt } = found.job;
    return { facts: { id: found.job.id, chainId, status, step, attempt, now: timeOf(found.now) }, untrusted: found };
  },
});

const countJobs = defineTool({
  name: "count_jobs",
  description: "Counts jobs by type and status. The counts may be some seconds old.",
  schema: z.strictObject({ type: typeName.optional() }),
  annotations: { title: "Count jobs", ...readOnly },
  needs: undefined,
  run: async ({ reads }, { type }) => {
    const counted = Object.entries(await reads.counts())
      .filter(([name]) => type === undefined || name === type)
      .map(([name, counts]) => ({ typeName: name, ...counts }));
    return { facts: { types: counted.length }, untrusted: counted };
  },
});

const listWorkers = defineTool({
  name: "list_workers",
  description: "Lists the live workers: their job types, their slots, and how many jobs they run.",
  schema: z.strictObject({}),
  annotations: { title: "List workers", ...readOnly },
  needs: undefined,
  run: async ({ reads }) => {
    const workers = await reads.workers();
    return { facts: { workers: workers.length }, untrusted: workers.slice(0, mostChains) };
  },
});

const doctor = defineTool({
  name: "doctor",
  description: "Looks for faults of the store, and says what to do about each. Repairs nothing.",
  schema: z.strictObject({}),
  annotations: { title: "Look for faults", ...readOnly },
  needs: undefined,
  run: async ({ reads }) => {
    const { findings, isCut } = await reads.faults();
    return { facts: { faults: findings.length, mayHaveMore: isCut }, untrusted: findings };
  },
});

function millisecondsOf(time: string | undefined): string | undefined {
  return time === undefined ? undefined : String(Date.parse(time));
}

/** The tools that change nothing. */
export const readTools: readonly Tool[] = [listChains, getChain, explainJob, countJobs, listWorkers, doctor];
