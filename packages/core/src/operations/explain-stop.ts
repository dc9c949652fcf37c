import type { ChainRecord, JobRecord } from "../model/record.ts";
import type { StoreAccess } from "../engine/engine.ts";

/** What a chain that has stopped at this job has started, and what the first open one of them waits for. Undefined: it has started nothing. */
export async function stopSentence(
  store: StoreAccess,
  { status }: JobRecord,
  chain: ChainRecord | undefined,
  tx: unknown,
): Promise<string | undefined> {
  if (chain?.followUps === undefined || (status !== "failed" && status !== "cancelled")) return undefined;
  const names = chain.followUps.map((followUp) => `${followUp.typeName} (${followUp.status})`);
  const started = `It has ${status === "failed" ? "failed" : "been cancelled"}, which started ${names.join(", then ")}.`;
  const open = chain.followUps.find((followUp) => followUp.status !== "completed");
  if (open === undefined) return started;
  const name = `"${open.typeName}"`;
  if (open.status !== "active") return `${started} ${name} has not completed, and those after it wait: retry it.`;
  const [job] = await store.state.getJobs([open.chainId], store.callOptions(tx));
  // A compensation that is scheduled for its next attempt has had one.
  if (job?.status !== "scheduled" || job.attempt > 0) return `${started} Each waits for the one before it.`;
  const leasedUntil = new Date(job.scheduledAt ?? 0).toISOString();
  return `${started} ${name} waits for the end of the attempt that was running, at the latest until its lease ends at ${leasedUntil}.`;
}
