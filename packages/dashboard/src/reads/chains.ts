import type { Chain } from "chainwright";
import type { Context, Call } from "../context.ts";
import { queries, readQuery } from "../query.ts";
import type { ChainsAnswer } from "../protocol.ts";
import { chainView, inFull, pageView } from "../views.ts";

const manyIds = new Set(["typeName", "status", "id"]);

export async function chains({ client, redaction, redacts }: Context, { query }: Call): Promise<ChainsAnswer> {
  const { typeName, status, id, from, until, errorText, ...page } = readQuery(query, queries.chains, manyIds);
  const found = await client.listChains({
    ...page,
    typeName,
    status,
    ids: id === undefined ? undefined : await chainIdsOf(client, id),
    createdFrom: from === undefined ? undefined : new Date(from),
    createdUntil: until === undefined ? undefined : new Date(until),
    errorText,
  });
  // The store sought in what was written; only what may be seen may be found.
  const isSeen = (chain: Chain): boolean =>
    errorText === undefined ||
    !redacts ||
    JSON.stringify(chainView(chain, redaction, inFull).error).includes(textIn(errorText));
  return pageView({ ...found, items: found.items.filter(isSeen) }, (chain) => chainView(chain, redaction));
}

/** A text as it stands in JSON. */
function textIn(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Ids of jobs stand for their chains. A chain has its first job's id. */
async function chainIdsOf(client: Context["client"], ids: readonly string[]): Promise<readonly string[]> {
  const jobs = await client.listJobs({ ids, limit: ids.length });
  return [...new Set(jobs.items.map((job) => job.chainId))];
}
