import type { Reads } from "@chainwright/dashboard/reads";
import type { Reply } from "./reply.ts";
import { timeOf } from "./shown.ts";

/** A chain as a tool returns it and as a resource. */
export async function shownChain(reads: Reads, id: string): Promise<Reply> {
  const { lastStep, ...found } = await reads.chain(id);
  const { items } = found.steps;
  const { status, createdAt, endedAt } = found.chain;
  return {
    facts: {
      id: found.chain.id,
      status,
      createdAt: timeOf(createdAt),
      endedAt: endedAt === undefined ? undefined : timeOf(endedAt),
      stepsShown: items.length,
      lastStep: lastStep?.step,
      now: timeOf(found.now),
    },
    // The last step is told once: a short chain has it among its steps.
    untrusted: items.some((step) => step.id === lastStep?.id) ? found : { ...found, lastStep },
  };
}
