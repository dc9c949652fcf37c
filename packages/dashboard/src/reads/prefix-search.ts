import type { Chain } from "chainwright";
import type { Context } from "../context.ts";
import type { AnyJob } from "../views.ts";
import { rangeOfPrefix, timeOfId } from "./id-time.ts";

export interface PrefixSearch {
  /** The beginning of an id, in lower case. */
  readonly prefix: string;
  /** The id of the last job that was looked at. */
  readonly cursor: string | undefined;
  readonly limit: number;
  readonly order: "newest" | "oldest";
  /** Inputs of the chains are read up to this size. */
  readonly mostPayloadBytes: number;
}

export interface FoundByPrefix {
  readonly chains: readonly Chain[];
  readonly nextCursor: string | undefined;
  /** Set if the search was cut: up to this moment everything was looked at. */
  readonly searchedTo: number | undefined;
}

const pageSize = 100;
/** A search looks at this many jobs at most; the next request continues from there. */
const mostLooked = 1_000;

/** Finds the chains of jobs with such ids: these are next to each other in the order of all ids. */
export async function searchPrefix(
  { client }: Pick<Context, "client">,
  { prefix, cursor: after, limit, order, mostPayloadBytes }: PrefixSearch,
  accepts: (chain: Chain) => boolean,
): Promise<FoundByPrefix> {
  const range = rangeOfPrefix(prefix);
  const found = new Map<string, { readonly chain: Chain; readonly jobId: string }>();
  let cursor = after ?? (order === "newest" ? range.above : range.below);
  for (let looked = 0; ;) {
    const page = await client.listJobs({ cursor, limit: pageSize, order, mostPayloadBytes: 0 });
    const jobs = page.items.filter(({ id }) => id.startsWith(prefix));
    const chains = await chainsOf(client, jobs, mostPayloadBytes);
    for (const { id, chainId } of jobs) {
      const chain = chains.get(chainId);
      if (chain !== undefined && !found.has(chainId) && isPlaceOf(id, chainId, prefix) && accepts(chain))
        found.set(chainId, { chain, jobId: id });
    }
    looked += page.items.length;
    cursor = page.nextCursor;
    const isFull = found.size > limit;
    const isOver = cursor === undefined || jobs.length < page.items.length;
    if (isFull || isOver || looked >= mostLooked) {
      const shown = [...found.values()].slice(0, limit);
      const nextCursor = isFull ? shown.at(-1)?.jobId : isOver ? undefined : cursor;
      const searchedTo = isFull || nextCursor === undefined ? undefined : timeOfId(nextCursor);
      return { chains: shown.map(({ chain }) => chain), nextCursor, searchedTo };
    }
  }
}

/** A chain is listed once: where its own id is, if that begins so, and otherwise at the first of its jobs that is found. */
function isPlaceOf(jobId: string, chainId: string, prefix: string): boolean {
  return jobId === chainId || !chainId.startsWith(prefix);
}

async function chainsOf(
  client: Context["client"],
  jobs: readonly AnyJob[],
  mostPayloadBytes: number,
): Promise<ReadonlyMap<string, Chain>> {
  const ids = [...new Set(jobs.map(({ chainId }) => chainId))];
  if (ids.length === 0) return new Map();
  const { items } = await client.listChains({ ids, limit: ids.length, mostPayloadBytes });
  return new Map(items.map((chain) => [chain.id, chain]));
}
