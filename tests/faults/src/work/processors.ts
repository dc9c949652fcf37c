import type { Processors } from "chainwright";
import { accidentProcessors } from "./accident-processors.ts";
import { joinProcessors } from "./join-processors.ts";
import { stepProcessors } from "./step-processors.ts";
import { preyProcessors } from "./prey-processors.ts";
import type { Surroundings } from "./surroundings.ts";
import { unrulyProcessors } from "./unruly-processors.ts";

/** The handlers of all types, in as many groups as there are kinds of chains. */
export function createFaultProcessors(around: Surroundings): readonly Processors[] {
  return [
    stepProcessors(around),
    joinProcessors(around),
    accidentProcessors(around),
    preyProcessors(around),
    unrulyProcessors(around),
  ];
}
