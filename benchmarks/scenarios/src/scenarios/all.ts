import type { Scenario } from "../scenario.ts";
import { dedup } from "./dedup.ts";
import { delayed } from "./delayed.ts";
import { observers } from "./observers.ts";
import { retries } from "./retries.ts";
import { steady } from "./steady.ts";

export const allScenarios: readonly Scenario[] = [steady, delayed, retries, dedup, observers];
