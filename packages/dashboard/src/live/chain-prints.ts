import type { AnyClient } from "chainwright";
import { lastStepOf } from "../views.ts";

/** A text per chain id that differs whenever the chain has changed; undefined: the chain was deleted. */
export async function chainPrints(
  client: AnyClient,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string | undefined>> {
  return new Map(
    await Promise.all(ids.map(async (id): Promise<[string, string | undefined]> => [id, await print(client, id)])),
  );
}

async function print(client: AnyClient, id: string): Promise<string | undefined> {
  const step = await lastStepOf(client, id);
  return step === undefined
    ? undefined
    : JSON.stringify([step.id, step.status, step.attempt, step.blockersLeft, step.scheduledAt, step.leasedBy]);
}
