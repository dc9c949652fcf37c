import { z } from "zod";
import { id } from "./read-tools.ts";
import { defineTool, InvalidArguments, type Tool, type ToolContext } from "./tool.ts";

const longestKey = 500;
const longestReason = 2_000;
/** What `redactKeys` shows in the place of a value. */
const placeholder = "[redacted]";

const retryChain = defineTool({
  name: "retry_chain",
  description:
    "Retries a failed or cancelled chain at the step where it stopped, with the same input or with another one.",
  schema: z.strictObject({
    id,
    input: z.json().describe("The whole input of that step. Default: as it was.").optional(),
  }),
  annotations: {
    title: "Retry a chain",
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: false,
  },
  needs: "operator",
  run: async (context, given) => {
    const { client } = context;
    if (given.input === undefined) await client.retryChains({ items: [{ id: given.id }] });
    else await client.retryChains({ items: [{ id: given.id, ...(await newInput(context, given.id, given.input)) }] });
    return { facts: { id: given.id, retried: true } };
  },
});

const cancelChain = defineTool({
  name: "cancel_chain",
  description:
    "Cancels an active chain. Its open step does not run any more, and chains that wait for it fail or go on without it.",
  schema: z.strictObject({
    id,
    reason: z.string().min(1).max(longestReason).describe("Stored with the chain, for people."),
  }),
  annotations: {
    title: "Cancel a chain",
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: true,
    openWorldHint: false,
  },
  needs: "operator",
  run: async ({ client }, given) => {
    await client.cancelChains({ items: [{ id: given.id, reason: given.reason }] });
    return { facts: { id: given.id, cancelled: true } };
  },
});

const triggerJob = defineTool({
  name: "trigger_job",
  description: "Makes a scheduled job ready now.",
  schema: z.strictObject({ id }),
  annotations: {
    title: "Trigger a job",
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  needs: "operator",
  run: async ({ client }, given) => {
    await client.triggerJobs({ items: [{ id: given.id }] });
    return { facts: { id: given.id, triggered: true } };
  },
});

const startChain = defineTool({
  name: "start_chain",
  description:
    "Starts a chain. A second start with the same idempotencyKey starts nothing and returns the chain that exists. Types and shapes are checked only if the server knows the application's job types.",
  schema: z.strictObject({
    type: z.string().min(1).max(longestKey).describe("The type of its first step."),
    input: z.json().describe("The input of its first step."),
    idempotencyKey: z.string().min(1).max(longestKey).describe("Names this start; use the same one to try again."),
  }),
  annotations: {
    title: "Start a chain",
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  needs: "admin",
  run: async ({ client }, { type, input, idempotencyKey }) => {
    refuseHidden(input);
    const [started] = await client.startChains({
      items: [{ typeName: type, input, deduplication: { key: idempotencyKey } }],
    });
    return { facts: { id: started?.id, status: started?.status, existedBefore: started?.deduplicated } };
  },
});

/** The input of the step where the chain stopped, and the type that it is for. */
async function newInput({ client }: ToolContext, chainId: string, input: unknown) {
  refuseHidden(input);
  const { items } = await client.listChainJobs({ id: chainId, order: "newest", limit: 1 });
  return { typeName: items[0]?.typeName, input };
}

/** An agent that repeats what it was shown would store the placeholder instead of the value. */
function refuseHidden(input: unknown): void {
  if (!JSON.stringify(input).includes(placeholder)) return;
  throw new InvalidArguments(
    "The input contains a value that is hidden from you. Leave the input out, or ask a person to change it in the dashboard.",
  );
}

/** The tools that change one chain. */
export const writeTools: readonly Tool[] = [retryChain, cancelChain, triggerJob, startChain];
