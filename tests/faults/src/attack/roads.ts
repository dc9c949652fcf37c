import { hasPgBouncer, startPgBouncer } from "@chainwright/backends/pgbouncer";
import { startPostgresProxy } from "@chainwright/backends/postgres-proxy";
import type { StorePlace } from "../store/open-store.ts";
import { bouncedName } from "../store/postgres-client.ts";
import type { PostgresPlace } from "../store/postgres-client.ts";
import type { Deeds } from "./deed-names.ts";
import type { Tally } from "./tally.ts";
import type { Weather } from "./weather.ts";

/** One way for a process to reach the store. */
export interface Road {
  readonly place: StorePlace;
  /** The counter of processes that use it. */
  readonly lives: keyof Tally;
}

/** All ways. */
export interface Roads {
  readonly all: readonly [Road, ...Road[]];
  readonly close: () => Promise<void>;
}

/** Settings of some applications for their sessions: shorter than others hold their locks. */
const shortLimits = "-c lock_timeout=200ms -c statement_timeout=1s";

/**
 * On Postgres: two over a network with changing faults, one of them with a pool of one; one with a pool of as many connections
 * as there are slots, one with short limits, and one through PgBouncer, if it is there.
 */
export async function openRoads(
  place: StorePlace,
  weather: Weather,
  { deeds, concurrency }: { readonly deeds: Deeds; readonly concurrency: number },
): Promise<Roads> {
  const straight: Road = { place, lives: "livesOnTheStraightRoad" };
  if (place.kind === "sqlite") return { all: [straight], close: async () => undefined };
  const proxy = await startPostgresProxy(place.url, weather.network);
  const overNetwork: PostgresPlace = { ...place, url: proxy.url };
  const limited: PostgresPlace = { ...place, url: withParameter(place.url, "options", shortLimits) };
  const bouncer = hasPgBouncer() ? await startPgBouncer(place.url, "transaction", 10) : undefined;
  const bounced = bouncer === undefined ? undefined : withParameter(bouncer.url, "application_name", bouncedName);
  return {
    all: [
      straight,
      { place: { ...overNetwork, library: "postgres.js" }, lives: "livesOverTheNetwork" },
      ...(deeds.has("pools")
        ? [
            { place: { ...overNetwork, poolSize: 1 }, lives: "livesWithAPoolOfOne" } as const,
            { place: { ...place, poolSize: concurrency }, lives: "livesWithAPoolOfTheirSlots" } as const,
          ]
        : []),
      ...(deeds.has("limits") ? [{ place: limited, lives: "livesWithShortLimits" } as const] : []),
      ...(bounced === undefined
        ? []
        : [{ place: { ...place, url: bounced, listenUrl: place.url }, lives: "livesThroughPgBouncer" } as const]),
    ],
    close: async () => {
      await proxy.close();
      await bouncer?.stop();
    },
  };
}

function withParameter(url: string, name: string, value: string): string {
  const changed = new URL(url);
  changed.searchParams.set(name, value);
  // Spaces as %20: the client library does not decode a plus.
  return changed.href.replaceAll("+", "%20");
}
