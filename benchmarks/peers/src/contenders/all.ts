import type { Contender } from "../contender.ts";
import { bullmqContenders } from "./bullmq.ts";
import { chainwrightContenders } from "./chainwright.ts";
import { graphileWorker } from "./graphile-worker.ts";
import { pgBoss } from "./pg-boss.ts";
import { plainjob } from "./plainjob.ts";

export const allContenders: readonly Contender[] = [
  ...chainwrightContenders,
  pgBoss,
  graphileWorker,
  ...bullmqContenders,
  plainjob,
];
