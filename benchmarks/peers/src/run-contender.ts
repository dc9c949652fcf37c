import { answerParent, type Servers } from "@chainwright/bench-measuring";
import { allContenders } from "./contenders/all.ts";
import { measureContender } from "./measure-contender.ts";
import type { Settings } from "./settings.ts";

/** The orders for the process of one contender. */
export interface Request {
  readonly name: string;
  readonly settings: Settings;
  readonly servers: Servers;
}

answerParent(async (asked, progress) => {
  const { name, settings, servers } = asked as Request;
  const contender = allContenders.find((one) => one.name === name);
  if (contender === undefined) throw new Error(`there is no contender "${name}"`);
  return await measureContender(contender, settings, servers, progress);
});
