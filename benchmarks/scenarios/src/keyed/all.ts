import { chainwright } from "./chainwright.ts";
import type { KeyedContender } from "./contender.ts";
import { graphileWorker } from "./graphile-worker.ts";
import { pgBoss } from "./pg-boss.ts";

const keyedContenders = [chainwright, pgBoss, graphileWorker];

export const keyedNames = keyedContenders.map(({ name }) => name);

export function keyedContender(name: string): KeyedContender {
  const found = keyedContenders.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no contender "${name}"`);
  return found;
}
