import type { ChainRecord } from "../model/record.ts";
import type { AwaitedChain } from "../ports/query.ts";
import { isChainwrightError } from "../model/error.ts";
import { coalesce } from "../timing/coalesce.ts";
import { createTimeLimit } from "../timing/time-limit.ts";
import type { Engine } from "../engine/engine.ts";
import { storeTroubleOf } from "./store-trouble.ts";

/** How the waits of a client read chains. Reads at the same time share one statement. */
export interface AwaitedReads {
  read(id: string): Promise<ChainRecord | undefined>;
  /** The same, and notes that the chain is awaited. Undefined: the store need not know. */
  readonly note: ((id: string) => Promise<AwaitedChain>) | undefined;
}

type ReadsEngine = Pick<Engine, "state" | "clock" | "callOptions" | "announcedEnds">;

/** The most chains looked up in one statement. */
const maxLookups = 500;
/** A read that takes longer has failed: its connection may be dead. */
const readLimitMs = 30_000;

export function createAwaitedReads({ state, clock, callOptions, announcedEnds }: ReadsEngine): AwaitedReads {
  const timeLimit = createTimeLimit(clock, { limitMs: readLimitMs, who: "the store" });
  const getChains = (ids: readonly string[]) => timeLimit(() => state.getChains(ids, callOptions()));
  const noteChains = async (ids: readonly string[]): Promise<readonly AwaitedChain[]> => {
    let canNote = true;
    try {
      const noted = await timeLimit(async () => state.noteAwaited?.(ids, callOptions()));
      if (noted !== undefined) return noted;
    } catch (error) {
      if (isChainwrightError(error, "closed")) throw error;
      const trouble = storeTroubleOf(state, error);
      // A store that accepts no writes, such as a replica, can be read: the poll finds the ends of these chains.
      canNote = trouble !== undefined && trouble !== "read-only";
    }
    return (await getChains(ids)).map((chain) => ({ chain, isNoted: !canNote }));
  };
  const options = { clock, maxItems: maxLookups };
  return {
    read: coalesce(getChains, options),
    note: announcedEnds === "awaited" ? coalesce(noteChains, options) : undefined,
  };
}
