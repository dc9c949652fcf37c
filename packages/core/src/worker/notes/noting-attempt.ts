import type { Engine } from "../../engine/engine.ts";
import type { ChainwrightError } from "../../model/error.ts";
import type { Fence } from "../../model/outcome.ts";
import type { ClaimedJob } from "../../model/record.ts";
import type { AttemptLife } from "../attempt-life.ts";
import type { AttemptSteps } from "../attempt-steps.ts";
import type { NotePump } from "./note-pump.ts";

/** What an attempt needs of its worker to note something. */
export interface Noting {
  readonly pump: NotePump;
  /** Whether the worker is stopping: then an attempt that has saved its checkpoint goes on elsewhere. */
  readonly isStopping: () => boolean;
}

/** The attempt that notes something. */
export interface NotingAttempt {
  readonly engine: Engine;
  readonly job: ClaimedJob;
  readonly fence: Fence;
  readonly life: AttemptLife;
  readonly steps: AttemptSteps;
  readonly noting: Noting;
  readonly reportMistake: (mistake: ChainwrightError) => void;
}
