import type { Chain } from "chainwright";
import type { ErasedClient } from "chainwright/adapter";

/** A start or an end of a chain. */
export interface Happening {
  readonly at: Date;
  readonly event: "started" | "completed" | "failed" | "cancelled";
  readonly chain: Chain;
}

/** What is followed: all types without names. */
export interface Followed {
  readonly typeName?: readonly string[] | undefined;
}

/** A look reads at most so many new chains, and follows at most so many until they end. */
const mostNew = 1_000;
const mostFollowed = 1_000;
/** A transaction may commit a chain some time after it was created. */
const lateMs = 5_000;

/** Follows a store by reading it: what has begun since the last look, and what has ended of what was active. */
export function createFollower(client: ErasedClient, followed: Followed) {
  const active = new Map<string, Chain>();
  const seen = new Map<string, number>();
  let since = new Date();

  const begun = async (): Promise<readonly Chain[]> => {
    const createdFrom = new Date(since.getTime() - lateMs);
    const { items } = await client.listChains({ ...followed, createdFrom, order: "oldest", limit: mostNew });
    const fresh = items.filter(({ id }) => !seen.has(id));
    for (const { id, createdAt } of items) seen.set(id, createdAt.getTime());
    since = items.at(-1)?.createdAt ?? since;
    for (const [id, at] of seen) if (at < since.getTime() - 2 * lateMs) seen.delete(id);
    return fresh;
  };
  const ended = async (): Promise<readonly Chain[]> => {
    if (active.size === 0) return [];
    const { items } = await client.listChains({ ids: [...active.keys()], limit: mostFollowed });
    for (const id of active.keys()) if (!items.some((chain) => chain.id === id)) active.delete(id);
    return items.filter(({ status }) => status !== "active");
  };
  const follow = (chain: Chain): void => {
    if (chain.status === "active" && active.size < mostFollowed) active.set(chain.id, chain);
  };

  return {
    /** Begins with what is active now; returns whether more is active than can be followed. */
    async begin(): Promise<boolean> {
      const { items, nextCursor } = await client.listChains({ ...followed, status: "active", limit: mostFollowed });
      for (const chain of items) {
        follow(chain);
        seen.set(chain.id, chain.createdAt.getTime());
      }
      return nextCursor !== undefined;
    },
    /** What has happened since the last look, oldest first. */
    async look(): Promise<readonly Happening[]> {
      const fresh = (await begun()).filter(({ createdAt }) => createdAt.getTime() >= since.getTime() - lateMs);
      for (const chain of fresh) follow(chain);
      const over = [...(await ended()), ...fresh.filter(({ status }) => status !== "active")];
      for (const { id } of over) active.delete(id);
      return [...fresh.map(startOf), ...over.flatMap(endOf)].toSorted(
        (one, other) => one.at.getTime() - other.at.getTime(),
      );
    },
  };
}

function startOf(chain: Chain): Happening {
  return { at: chain.createdAt, event: "started", chain };
}

function endOf(chain: Chain): readonly Happening[] {
  return chain.status === "active" ? [] : [{ at: chain.endedAt, event: chain.status, chain }];
}
