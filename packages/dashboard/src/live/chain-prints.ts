import type { AnyClient } from "chainwright";
import { lastStepOf } from "../views.ts";

/** Chains beyond this number are not watched: the page still shows what it loaded. */
const mostWatched = 100;

/** A text per chain id that differs whenever the chain has changed; undefined: the chain was deleted. */
export async function chainPrints(
  client: AnyClient,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string | undefined>> {
  const watched = ids.slice(0, mostWatched);
  return new Map(
    await Promise.all(watched.map(async (id): Promise<[string, string | undefined]> => [id, await print(client, id)])),
  );
}

async function print(client: AnyClient, id: string): Promise<string | undefined> {
  const step = await lastStepOf(client, id);
  return step === undefined
    ? undefined
    : JSON.stringify([step.id, step.status, step.attempt, step.blockersLeft, step.scheduledAt, step.leasedBy]);
}
