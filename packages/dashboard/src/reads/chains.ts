import type { Chain } from "chainwright";
import type { Context, Call } from "../context.ts";
import { queries, readQuery } from "../query.ts";
import type { ChainsAnswer } from "../protocol.ts";
import { chainView, inFull, pageView } from "../views.ts";
import { idAfter, idBefore, isPast, timeOfId, type TimeRange } from "./id-time.ts";

type Query = ReturnType<typeof readQuery<typeof queries.chains>>;

const manyIds = new Set(["typeName", "status", "id"]);
/** Rows that one request looks at where a filter may find little: the rest of the history is for the next. */
const mostScanned = 20_000;
const fullPage = 50;

export async function chains({ client, redaction, redacts }: Context, { query }: Call): Promise<ChainsAnswer> {
  const asked = readQuery(query, queries.chains, manyIds);
  const { typeName, status, id, from, until, errorText, order = "newest", limit } = asked;
  const maxScanned = isFoundQuickly(asked) ? undefined : mostScanned;
  const found = await client.listChains({
    order,
    limit,
    cursor: asked.cursor ?? startOf(order, { from, until }),
    typeName,
    status,
    ids: id === undefined ? undefined : await chainIdsOf(client, id),
    createdFrom: from === undefined ? undefined : new Date(from),
    createdUntil: until === undefined ? undefined : new Date(until),
    errorText,
    maxScanned,
  });
  // The store sought in what was written; only what may be seen may be found.
  const isSeen = (chain: Chain): boolean =>
    errorText === undefined ||
    !redacts ||
    JSON.stringify(chainView(chain, redaction, inFull).error).includes(textIn(errorText));
  const next = found.nextCursor;
  const isAtEnd = next === undefined || isPast(next, order, { from, until });
  const isCut = !isAtEnd && maxScanned !== undefined && found.items.length < (limit ?? fullPage);
  return {
    ...pageView({ ...found, items: found.items.filter(isSeen) }, (chain) => chainView(chain, redaction)),
    nextCursor: isAtEnd ? undefined : next,
    searchedTo: isCut ? timeOfId(next) : undefined,
  };
}

/** Whether the store has what is asked for at hand: by id, what stopped, what is under way, or simply what comes next. */
function isFoundQuickly({ typeName, status, id, from, until, errorText }: Query): boolean {
  if (id !== undefined || errorText !== undefined) return true;
  if (status !== undefined && !status.includes("completed")) return true;
  return typeName === undefined && from === undefined && until === undefined && status === undefined;
}

/** Where a search for a time begins. */
function startOf(order: "newest" | "oldest", { from, until }: TimeRange): string | undefined {
  if (order === "newest") return until === undefined ? undefined : idAfter(until);
  return from === undefined ? undefined : idBefore(from);
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
