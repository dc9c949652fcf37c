import { allContenders, type Contender } from "@chainwright/bench-peers";
import type { Row } from "./row.ts";

const peers = new Set([
  "graphile-worker",
  "pg-boss",
  "pg-boss, a transaction for two jobs",
  "bullmq/redis, fsync always",
]);

/** The other queues. */
export const peerRows: readonly Row[] = allContenders.filter(({ name }) => peers.has(name)).flatMap(rowsOf);

/** As recommended for throughput is a row of its own; for transactions nothing else is recommended. */
function rowsOf(contender: Contender): readonly Row[] {
  const { name, mode } = contender;
  const asked: Row = { name, mode, pace: "as asked", notify: undefined, contender };
  return mode === "atomic" ? [asked] : [asked, { ...asked, name: `${name}, recommended`, pace: "recommended" }];
}
