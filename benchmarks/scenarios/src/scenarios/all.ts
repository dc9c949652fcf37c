import type { Scenario } from "../scenario.ts";
import { batches } from "./batches.ts";
import { dedup } from "./dedup.ts";
import { delayed } from "./delayed.ts";
import { gate } from "./gate.ts";
import { keyed } from "./keyed.ts";
import { limits } from "./limits.ts";
import { notes } from "./notes.ts";
import { observers } from "./observers.ts";
import { retries } from "./retries.ts";
import { schedules } from "./schedules.ts";
import { signals } from "./signals.ts";
import { steady } from "./steady.ts";
import { watch } from "./watch.ts";

export const allScenarios: readonly Scenario[] = [
  steady,
  delayed,
  schedules,
  signals,
  retries,
  dedup,
  limits,
  gate,
  keyed,
  observers,
  batches,
  notes,
  watch,
];
