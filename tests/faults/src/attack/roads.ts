import { hasPgBouncer, startPgBouncer } from "@chainwright/backends/pgbouncer";
import { startPostgresProxy } from "@chainwright/backends/postgres-proxy";
import type { StorePlace } from "../store/open-store.ts";
import type { PostgresPlace } from "../store/postgres-client.ts";
import type { Tally } from "./tally.ts";
import type { Weather } from "./weather.ts";

/** One way for a process to reach the store. */
export interface Road {
  readonly place: StorePlace;
  /** What is counted when a process takes it. */
  readonly lives: keyof Tally;
}

/** All ways there are. */
export interface Roads {
  readonly all: readonly [Road, ...Road[]];
  readonly close: () => Promise<void>;
}

/** On Postgres: two over a network whose weather changes, one of them with a pool of one, and one through PgBouncer, if it is there. */
export async function openRoads(place: StorePlace, weather: Weather): Promise<Roads> {
  const straight: Road = { place, lives: "livesOnTheStraightRoad" };
  if (place.kind === "sqlite") return { all: [straight], close: async () => undefined };
  const proxy = await startPostgresProxy(place.url, weather.network);
  const overNetwork: PostgresPlace = { ...place, url: proxy.url };
  const bouncer = hasPgBouncer() ? await startPgBouncer(place.url, "transaction", 10) : undefined;
  return {
    all: [
      straight,
      { place: { ...overNetwork, library: "postgres.js" }, lives: "livesOverTheNetwork" },
      { place: { ...overNetwork, poolSize: 1 }, lives: "livesWithAPoolOfOne" },
      ...(bouncer === undefined
        ? []
        : [{ place: { ...place, url: bouncer.url, listenUrl: place.url }, lives: "livesThroughPgBouncer" } as const]),
    ],
    close: async () => {
      await proxy.close();
      await bouncer?.stop();
    },
  };
}
