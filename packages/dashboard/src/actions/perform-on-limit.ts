import type { ErasedClient } from "chainwright/adapter";
import { limitOfId } from "../limit-id.ts";
import { Refusal } from "../http/refusal.ts";
import type { LimitsRequest } from "./request.ts";

/** Performs an action on one limit, or on one of its keys. */
export async function performOnLimit(
  client: ErasedClient,
  { action, change }: LimitsRequest,
  { id, ...inTx }: { readonly id: string; readonly tx?: unknown },
): Promise<void> {
  const target = limitOfId(id);
  if (target === undefined) throw new Refusal(400, "invalid-request", "The id of a limit is invalid.");
  const named = { ...target, ...inTx };
  switch (action) {
    case "change-limit":
      await client.changeLimit({ ...named, concurrency: change?.concurrency, rate: change?.rate });
      return;
    case "reset-limit":
      await client.resetLimit(named);
      return;
    case "pause-limit":
      await client.pauseLimit({ ...named, forMs: change?.forMs });
      return;
    case "resume-limit":
      await client.resumeLimit(named);
  }
}
