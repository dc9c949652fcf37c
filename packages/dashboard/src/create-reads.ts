import { ChainwrightError, type AnyClient, type JobCounts } from "chainwright";
import { createContexts } from "./contexts.ts";
import { isErasedClient } from "chainwright/adapter";
import type { Principal, Redact } from "./options.ts";
import type { WorkerView } from "./protocol/overview.ts";
import type { ChainResponse, ChainsResponse, JobResponse } from "./protocol/reads.ts";
import { chain } from "./reads/chain.ts";
import { chains } from "./reads/chains.ts";
import { faults, type FaultsResponse } from "./reads/faults.ts";
import { job } from "./reads/job.ts";
import { workerView } from "./views.ts";

/**
 * Options of `createReads`.
 *
 * @example
 * const options: ReadsOptions = { client, redact: redactKeys(["password"]), mostInlineBytes: 65_536, onFailure: logger.warn };
 * const readsOf = createReads(options);
 */
export interface ReadsOptions {
  readonly client: AnyClient;
  /** As for `createDashboard`. */
  readonly redact?: Redact | undefined;
  /** Larger payloads of a chain's steps are left out, with their size. Default: 16,384. */
  readonly mostInlineBytes?: number | undefined;
  /** Called when `redact` or a look in the background fails. */
  readonly onFailure: (error: unknown, where: string) => void;
}

/**
 * The reads of one reader. Replies are the JSON that the dashboard's pages receive; times are in milliseconds. Ids that do not exist and
 * queries that are not valid are errors that `refusalOf` knows.
 *
 * @example
 * const newestFailure = async (reads: Reads) => {
 *   const { items } = await reads.chains(new URLSearchParams({ status: "failed", limit: "1" }));
 *   return items[0]?.error?.message;
 * };
 */
export interface Reads {
  /** A page of chains. The query is that of the chains page: `typeName`, `status`, `from`, `until`, `errorText`, `cursor`, `limit`. */
  chains(query: URLSearchParams): Promise<ChainsResponse>;
  /** A chain with its steps, and why it is not running. */
  chain(id: string): Promise<ChainResponse>;
  /** A step, and why it is not running. */
  job(id: string): Promise<JobResponse>;
  /** Jobs by type and status, at most a few seconds old. */
  counts(): Promise<Readonly<Record<string, JobCounts | undefined>>>;
  workers(): Promise<readonly WorkerView[]>;
  /** The faults that the quick checks of `client.doctor` find. Nothing is repaired. */
  faults(): Promise<FaultsResponse>;
  /** Counts are read again: this process has changed something. */
  lookSoon(): void;
}

/**
 * Returns the reads of each reader: what the dashboard's pages show, after `redact`, without its pages.
 *
 * @throws ChainwrightError `invalid-input` if `client` is not one that createClient returned
 * @example
 * const readsOf = createReads({ client, redact: redactKeys(["password"]), onFailure: logger.warn });
 * const { explanation } = await readsOf({ role: "viewer" }).chain(id);
 */
export function createReads({ client, ...options }: ReadsOptions): (principal: Principal) => Reads {
  if (!isErasedClient(client)) {
    throw new ChainwrightError("invalid-input", "client must be a value that createClient returned.");
  }
  const { contextFor, watch } = createContexts({ ...options, client, redact: options.redact });
  const byId = (id: string) => ({ query: new URLSearchParams({ id }) });
  return (principal) => {
    const context = contextFor(principal);
    return {
      chains: async (query) => await chains(context, { query }),
      chain: async (id) => await chain(context, byId(id)),
      job: async (id) => await job(context, byId(id)),
      counts: async () => await watch.counts(),
      workers: async () => (await client.listWorkers()).map(workerView),
      faults: async () => await faults(context),
      lookSoon: () => watch.lookSoon(),
    };
  };
}
