import type { Contender } from "../contender.ts";
import { bullmqContenders } from "./bullmq.ts";
import { chainwrightContenders } from "./chainwright.ts";
import { graphileWorker } from "./graphile-worker.ts";
import { pgBossContenders } from "./pg-boss.ts";
import { plainjob } from "./plainjob.ts";

export const allContenders: readonly Contender[] = [
  ...chainwrightContenders,
  ...pgBossContenders,
  graphileWorker,
  ...bullmqContenders,
  plainjob,
];
