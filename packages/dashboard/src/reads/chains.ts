import type { Chain, Page } from "chainwright";
import type { Asked, Context } from "../context.ts";
import { openStatuses, queries, readQuery } from "../http/query.ts";
import { Refusal } from "../http/refusal.ts";
import type { ChainsResponse } from "../protocol/reads.ts";
import type { ChainView, JobStatus } from "../protocol/views.ts";
import { chainView, inFull, type AnyJob } from "../views.ts";
import { chainRows } from "./chain-rows.ts";
import { idAfter, idBefore, isPast, timeOfId, type TimeRange } from "./id-time.ts";
import { hasInput } from "./input-search.ts";
import { searchPrefix } from "./prefix-search.ts";
import { isWithin, searchSteps } from "./step-search.ts";
import { totalOf } from "./totals.ts";

type Query = ReturnType<typeof readQuery<typeof queries.chains>>;

const manyOf = new Set(["typeName", "status", "stepType", "step", "id", "tag"]);
/** A request with a selective filter looks at this many rows at most; the next request continues from there. */
const mostScanned = 20_000;
const fullPage = 50;
/** A search in what is shown compares this many chains at most; the next request continues from there. */
const mostCompared = 1_000;
/** A page of those whose inputs are compared. */
const comparedPage = 200;
const wholeId = 36;
/**
 * With up to 10,000 open jobs, the SQL stores search active chains among those instead of scanning the history. The counts here
 * may be ten seconds old, and jobs start meanwhile, so the limit is lower.
 */
const fewOpenJobs = 9_000;

export async function chains(context: Context, { query }: Asked): Promise<ChainsResponse> {
  const asked = readQuery(query, queries.chains, manyOf);
  if ((asked.step ?? asked.stepType ?? asked.worker) !== undefined) return await chainsAtStep(context, asked);
  const prefix = prefixIn(asked);
  if (prefix !== undefined) return await chainsWithPrefix(context, asked, prefix);
  const { from, until, limit = fullPage } = asked;
  const isCompared = context.redacts || asked.input !== undefined;
  const { found, isBounded } = isCompared ? await searchShown(context, asked) : await search(context, asked);
  const next = found.nextCursor;
  const isAtEnd = next === undefined || isPast(next, orderOf(asked), { from, until });
  const isCut = !isAtEnd && isBounded && found.items.length < limit;
  return {
    now: context.clock.now(),
    items: await chainRows(context, found.items),
    nextCursor: isAtEnd ? undefined : next,
    searchedTo: isCut ? timeOfId(next) : undefined,
  };
}

/** The chains that are at a step of a type or a status. */
async function chainsAtStep(context: Context, asked: Query): Promise<ChainsResponse> {
  const { worker, id, cursor, from, until, limit = fullPage } = asked;
  const prefix = prefixIn(asked);
  const ids = id === undefined || prefix !== undefined ? undefined : new Set(await chainIdsOf(context.client, id));
  const isSeen = (chain: Chain, step: AnyJob): boolean =>
    (worker === undefined || step.leasedBy === worker) &&
    (ids?.has(chain.id) ?? true) &&
    (prefix === undefined || chain.id.startsWith(prefix) || step.id.startsWith(prefix)) &&
    isAskedFor(context, chain, asked);
  const wanted = { statuses: stepStatuses(asked), typeNames: asked.stepType, cursor, limit, order: orderOf(asked) };
  const payloads = { mostPayloadBytes: payloadBytesFor(context, asked) };
  const found = await searchSteps(context, { ...wanted, ...payloads, from, until }, isSeen);
  return {
    now: context.clock.now(),
    items: await chainRows(context, found.chains, found.steps),
    nextCursor: found.nextCursor,
    searchedTo: found.searchedTo,
  };
}

/** The chains with an id, or with a job of an id, that begins so. */
async function chainsWithPrefix(context: Context, asked: Query, prefix: string): Promise<ChainsResponse> {
  const { cursor, limit = fullPage } = asked;
  const wanted = { prefix, cursor, limit, order: orderOf(asked), mostPayloadBytes: payloadBytesFor(context, asked) };
  const found = await searchPrefix(
    context,
    wanted,
    (chain) => isWithin(chain, asked) && isAskedFor(context, chain, asked),
  );
  return {
    now: context.clock.now(),
    items: await chainRows(context, found.chains),
    nextCursor: found.nextCursor,
    searchedTo: found.searchedTo,
  };
}

/** The beginning of an id, if that is what was asked for. */
function prefixIn({ id = [] }: Query): string | undefined {
  const [prefix, ...others] = id;
  if (prefix === undefined || id.every((each) => each.length === wholeId)) return undefined;
  if (others.length > 0)
    throw new Refusal(
      400,
      "invalid-request",
      "The query is invalid at id: it must be one beginning of an id, or whole ids.",
    );
  return prefix.toLowerCase();
}

/** Whether a chain, as it is shown, has what was asked for beside its place. */
function isAskedFor(context: Context, chain: Chain, asked: Query): boolean {
  const { typeName, status, tag, key, errorText, input } = asked;
  return (
    (typeName?.includes(chain.typeName) ?? true) &&
    (status?.includes(chain.status) ?? true) &&
    ((tag ?? key ?? errorText) === undefined || matches(chainView(chain, context.redaction, inFull), asked)) &&
    (input === undefined || hasInput(context, chain, input))
  );
}

/** Inputs are read only where they are compared. */
function payloadBytesFor({ mostInlineBytes }: Context, { input }: Query): number {
  return input === undefined ? 0 : mostInlineBytes;
}

function stepStatuses({ step, status, worker }: Query): readonly JobStatus[] | undefined {
  if (step !== undefined) return step;
  if (worker !== undefined) return ["running"];
  return status?.flatMap((each): readonly JobStatus[] => (each === "active" ? openStatuses : [each]));
}

interface Found {
  readonly found: Page<Chain>;
  /** Whether the search may have stopped before the page was full. */
  readonly isBounded: boolean;
}

/**
 * The same search in what is shown. Neither the page nor its cursor depends on what `redact` hides: texts of errors are compared here and not
 * in the store, and a page continues after its last chain only if another chain that is shown follows.
 */
async function searchShown(context: Context, { errorText, ...asked }: Query): Promise<Found> {
  const { limit = fullPage } = asked;
  const stored: Query = errorText === undefined ? asked : { ...asked, status: asked.status ?? ["failed"] };
  const isSeen = (chain: Chain): boolean => isAskedFor(context, chain, { ...asked, errorText });
  const pageSize = asked.input === undefined ? fullPage : comparedPage;
  const seen: Chain[] = [];
  let { cursor } = asked;
  for (let looked = 0; ;) {
    const { found, isBounded } = await search(context, { ...stored, cursor, limit: pageSize });
    seen.push(...found.items.filter(isSeen));
    looked += found.items.length;
    cursor = found.nextCursor;
    if (seen.length > limit)
      return { found: { items: seen.slice(0, limit), nextCursor: seen[limit - 1]?.id }, isBounded };
    const isShort = isBounded && found.items.length < pageSize;
    if (cursor === undefined || isShort || looked >= mostCompared) {
      return { found: { items: seen, nextCursor: cursor }, isBounded: cursor !== undefined };
    }
  }
}

/** Whether a chain as it is shown has the error text, the tags and the key that were asked for. */
function matches({ error, tags, deduplicationKey }: ChainView, { errorText, tag = [], key }: Query): boolean {
  const isTagged = tag
    .map(pairOf)
    .every(([name, value]) => tags.some((each) => each.name === name && each.value === value));
  const hasText = errorText === undefined || JSON.stringify(error).includes(textIn(errorText));
  return isTagged && hasText && (key === undefined || key === deduplicationKey);
}

async function search(context: Context, asked: Query): Promise<Found> {
  const { client, watch } = context;
  const { typeName, status, id, tag, key, from, until, errorText, limit } = asked;
  const order = orderOf(asked);
  const ids = id === undefined ? undefined : await chainIdsOf(client, id);
  const list = async (maxScanned: number | undefined) =>
    await client.listChains({
      order,
      limit,
      cursor: asked.cursor ?? startOf(order, { from, until }),
      typeName,
      status,
      ids,
      tags: tag && Object.fromEntries(tag.map(pairOf)),
      deduplicationKey: key,
      createdFrom: from === undefined ? undefined : new Date(from),
      createdBefore: until === undefined ? undefined : new Date(until),
      errorText,
      maxScanned,
      mostPayloadBytes: payloadBytesFor(context, asked),
    });
  if (isFoundQuickly(asked)) return { found: await list(undefined), isBounded: false };
  const found = await list(mostScanned);
  const isShort = found.nextCursor !== undefined && found.items.length < (limit ?? fullPage);
  // Long-open chains lie far back in the history, but the store finds them directly while there are few.
  const isAtHand =
    isShort && isOfAll(status, ["active"]) && (await totalOf(watch, openStatuses, undefined)) < fewOpenJobs;
  return isAtHand ? { found: await list(undefined), isBounded: false } : { found, isBounded: true };
}

/** Whether an index can serve the query: by id, tag or key, by text or stopped status, or without a filter. */
function isFoundQuickly({ typeName, status, id, tag, key, from, until, errorText }: Query): boolean {
  if ((id ?? tag ?? key) !== undefined || errorText !== undefined || isOfAll(status, ["failed", "cancelled"]))
    return true;
  return typeName === undefined && from === undefined && until === undefined && status === undefined;
}

function isOfAll(status: Query["status"], all: Query["status"] & {}): boolean {
  return status?.every((each) => all.includes(each)) === true;
}

function orderOf({ order = "newest" }: Query): "newest" | "oldest" {
  return order;
}

/** The cursor at which a search for a time range starts. */
function startOf(order: "newest" | "oldest", { from, until }: TimeRange): string | undefined {
  if (order === "newest") return until === undefined ? undefined : idAfter(until);
  return from === undefined ? undefined : idBefore(from);
}

/** The name and value of a tag in a request. */
function pairOf(tag: string): readonly [name: string, value: string] {
  const end = tag.indexOf("=");
  return [tag.slice(0, end), tag.slice(end + 1)];
}

/** Returns a text as it is written inside JSON. */
function textIn(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Returns the chains of the given jobs. A chain has the id of its first job, so ids of chains work too. */
async function chainIdsOf(client: Context["client"], ids: readonly string[]): Promise<readonly string[]> {
  const jobs = await client.listJobs({ ids, limit: ids.length, mostPayloadBytes: 0 });
  return [...new Set(jobs.items.map((job) => job.chainId))];
}
