import type { Processors } from "chainwright";
import { accidentProcessors } from "./accident-processors.ts";
import { branchProcessors } from "./branch-processors.ts";
import { joinProcessors } from "./join-processors.ts";
import { lineProcessors } from "./line-processors.ts";
import { longProcessors } from "./long-processors.ts";
import { loopProcessors } from "./loop-processors.ts";
import { preyProcessors } from "./prey-processors.ts";
import type { Surroundings } from "./surroundings.ts";
import { unrulyProcessors } from "./unruly-processors.ts";

/** The handlers of all types, one group for each kind of chain. */
export function createFaultProcessors(around: Surroundings): readonly Processors[] {
  return [
    lineProcessors(around),
    branchProcessors(around),
    loopProcessors(around),
    joinProcessors(around),
    accidentProcessors(around),
    preyProcessors(around),
    unrulyProcessors(around),
    longProcessors(around),
  ];
}
