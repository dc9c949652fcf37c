import type { Chain } from "chainwright";
import type { Context } from "../context.ts";
import { mostLineBytes } from "./chain-rows.ts";
import { openStatuses } from "../http/query.ts";
import type { AnyJob } from "../views.ts";
import { isPast, timeOfId, type TimeRange } from "./id-time.ts";
import { totalOf } from "./totals.ts";

export interface StepSearch {
  readonly statuses: readonly AnyJob["status"][] | undefined;
  readonly typeNames: readonly string[] | undefined;
  readonly cursor: string | undefined;
  readonly limit: number;
  readonly order: "newest" | "oldest";
  readonly from: number | undefined;
  readonly until: number | undefined;
  /** Inputs of the chains are read up to this size. */
  readonly mostPayloadBytes: number;
}

/** The chains that are at such a step, in the order of the steps. */
export interface FoundSteps {
  readonly steps: readonly AnyJob[];
  readonly chains: readonly Chain[];
  readonly nextCursor: string | undefined;
  /** Set if the search was cut: up to this moment everything was looked at. */
  readonly searchedTo: number | undefined;
}

const pageSize = 100;
/** A search looks at this many steps at most; the next request continues from there. */
const mostLooked = 1_000;
const mostScanned = 20_000;
/** See `fewOpenJobs` of the search for chains. */
const fewOpenJobs = 9_000;
const isOpenStatus: ReadonlySet<string> = new Set(openStatuses);

/** Finds chains by the step where they are. `accepts` has the conditions on the chain, which are those of what is shown. */
export async function searchSteps(
  { client, watch }: Pick<Context, "client" | "watch">,
  search: StepSearch,
  accepts: (chain: Chain, step: AnyJob) => boolean,
): Promise<FoundSteps> {
  const { statuses, typeNames: typeName, limit, order } = search;
  const isOpenOnly = statuses?.every((status) => isOpenStatus.has(status)) === true;
  const isStoppedOnly = statuses?.every((status) => status === "failed" || status === "cancelled") === true;
  let maxScanned = isStoppedOnly ? undefined : mostScanned;
  const found: { readonly step: AnyJob; readonly chain: Chain }[] = [];
  let { cursor } = search;
  for (let looked = 0; ;) {
    const list = async () =>
      await client.listJobs({
        status: statuses,
        typeName,
        cursor,
        limit: pageSize,
        order,
        maxScanned,
        mostPayloadBytes: mostLineBytes,
      });
    let page = await list();
    const isCut = maxScanned !== undefined && page.nextCursor !== undefined && page.items.length < pageSize;
    // Few open jobs are found directly. They are counted only for a page that is not full, because that reads all of them.
    if (isCut && isOpenOnly && (await totalOf(watch, openStatuses, undefined)) < fewOpenJobs) {
      maxScanned = undefined;
      page = await list();
    }
    const steps = page.items.filter(isWhereItsChainIs);
    const chainIds = steps.map(({ chainId }) => chainId);
    const chains =
      chainIds.length === 0
        ? []
        : (await client.listChains({ ids: chainIds, limit: pageSize, mostPayloadBytes: search.mostPayloadBytes }))
            .items;
    const byId = new Map(chains.map((chain) => [chain.id, chain]));
    for (const step of steps) {
      const chain = byId.get(step.chainId);
      if (chain !== undefined && isWithin(chain, search) && accepts(chain, step)) found.push({ step, chain });
    }
    looked += page.items.length;
    cursor = page.nextCursor;
    const isShort = maxScanned !== undefined && page.items.length < pageSize;
    const isFull = found.length > limit;
    const isOver = cursor === undefined || isPast(cursor, order, search);
    if (isFull || isOver || isShort || looked >= mostLooked) {
      const shown = found.slice(0, limit);
      const next = isFull ? shown.at(-1)?.step.id : isOver ? undefined : cursor;
      return {
        steps: shown.map(({ step }) => step),
        chains: shown.map(({ chain }) => chain),
        nextCursor: next,
        searchedTo: isFull || next === undefined ? undefined : timeOfId(next),
      };
    }
  }
}

/** A completed step is where its chain is only if it ended the chain. */
function isWhereItsChainIs({ status, continuedAs }: AnyJob): boolean {
  return status !== "completed" || continuedAs === undefined;
}

export function isWithin({ createdAt }: Chain, { from, until }: Partial<TimeRange>): boolean {
  return (from === undefined || createdAt.getTime() >= from) && (until === undefined || createdAt.getTime() < until);
}
