import { isRefusal, retryStopped } from "./interfere.ts";
import type { FaultClient } from "./open-client.ts";

const page = 200;

/** The work of an operator: retries broken chains, and triggers, completes and cancels parked ones. Returns whether there were any. */
export async function attend(client: FaultClient): Promise<boolean> {
  const failed = await client.listChains({ typeName: "broken", status: "failed", limit: page });
  for (const { id } of failed.items) {
    const input = { delayMs: 0, mended: true };
    await allowed(client.retryChain({ id, typeName: "broken", input }));
  }
  const parked = await client.listJobs({ typeName: "parked", status: "scheduled", limit: page });
  for (const { id, chainId } of parked.items) {
    const chance = Math.random();
    if (chance < 0.3) await allowed(client.triggerJob({ id }));
    else if (chance < 0.6) await allowed(client.completeChain({ id: chainId, typeName: "parked", output: 1 }));
    else await allowed(client.cancelChain({ id: chainId, reason: "not wanted any more" }));
  }
  const retried = await retryStopped(client);
  return retried || failed.items.length + parked.items.length > 0;
}

/** Another process may have been faster, or an earlier try of this call succeeded and its reply was lost. */
async function allowed(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
}
