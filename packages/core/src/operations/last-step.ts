import type { JobRecord } from "../model/record.ts";
import type { StoreAccess } from "../engine/engine.ts";
import { everyJob } from "./list-queries.ts";
import { refusalError } from "./refusal-error.ts";

/** The newest step of a chain: the open one, or the one where it ended. */
export async function lastStep(store: StoreAccess, chainId: string, tx: unknown): Promise<JobRecord> {
  const job = await findLastStep(store, chainId, tx);
  if (job === undefined) throw refusalError({ code: "chain-not-found", id: chainId });
  return job;
}

/** The same, or undefined if there is no such chain. */
export async function findLastStep(store: StoreAccess, chainId: string, tx: unknown): Promise<JobRecord | undefined> {
  const query = { ...everyJob, chainId, limit: 1, order: "descending" } as const;
  const [job] = await store.state.listJobs(query, store.callOptions(tx));
  return job;
}
