import type { Fate, Network, PassingMessage } from "@chainwright/backends/postgres-proxy";
import type { Tally } from "./tally.ts";

/**
 * What a network does for a while: nothing, be slow, let nothing pass, cut connections at any message, lose replies to what
 * the server has carried out, lose connections without a word, or do so at commits alone: hold them up, or cut connections there.
 */
export type Sky =
  | "fair"
  | "slow"
  | "still"
  | "cutting"
  | "losing replies"
  | "losing connections"
  | "slow commits"
  | "cutting commits";

/** A network, and its current faults. */
export interface Weather {
  sky: Sky;
  /** When its faults end, in milliseconds since 1970. */
  fairAt: number;
  readonly network: Network;
}

/** One of this many messages. */
const cutsOnceIn = 300;
const losesRepliesOnceIn = 30;
const losesConnectionsOnceIn = 300;
const cutsCommitsOnceIn = 4;
const slowByMs = 2;
const commitDelayMs = 60;

export function createWeather(tally: Tally, leaseMs: number): Weather {
  const weather: Weather = {
    sky: "fair",
    fairAt: 0,
    network: {
      fateOf: (message) => fates[weather.sky](message),
      // The process notices after its leases have expired, and the server keeps its locks for longer.
      lostForMs: { client: 1.5 * leaseMs, server: 2 * leaseMs },
      onReplyLost: (committed) => {
        if (committed) tally.commitRepliesLost += 1;
      },
    },
  };
  const once = (chances: number, what: "connectionsCut" | "connectionsLost", fate: Fate): Fate => {
    if (Math.random() * chances > 1) return "pass";
    tally[what] += 1;
    return fate;
  };
  const atCommit: readonly [Fate, ...Fate[]] = ["cut-before", "cut-after", "lose-reply"];
  const cutCommit = (): Fate => {
    if (Math.random() * cutsCommitsOnceIn > 1) return "pass";
    tally.commitsHit += 1;
    return atCommit[Math.floor(Math.random() * atCommit.length)] ?? "cut-before";
  };
  const fates: Readonly<Record<Sky, (message: PassingMessage) => Fate>> = {
    fair: () => "pass",
    slow: () => ({ delayMs: slowByMs }),
    still: () => ({ delayMs: Math.max(0, weather.fairAt - Date.now()) }),
    cutting: () => once(cutsOnceIn, "connectionsCut", Math.random() < 0.5 ? "cut-before" : "cut-after"),
    "losing replies": ({ endsExchange }) =>
      endsExchange && Math.random() * losesRepliesOnceIn < 1 ? "lose-reply" : "pass",
    "losing connections": () => once(losesConnectionsOnceIn, "connectionsLost", "lose"),
    // Long enough for the attack to end the session in the meantime.
    "slow commits": ({ commits }) => (commits ? { delayMs: commitDelayMs } : "pass"),
    "cutting commits": ({ commits }) => (commits ? cutCommit() : "pass"),
  };
  return weather;
}
