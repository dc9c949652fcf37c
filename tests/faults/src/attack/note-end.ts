import type { StorePlace } from "../store/open-store.ts";
import { poisoned } from "../work/die.ts";
import type { Tally } from "./tally.ts";

/** The signals of a process that aborts, and of V8 when it is out of memory. */
const deadly = new Set<number | string | null>([poisoned, "SIGABRT", "SIGTRAP", "SIGILL"]);

/** Counts the end of a process: without a signal, a poisoned job may have ended it, but it must not have crashed. */
export function noteEnd(tally: Tally, place: StorePlace, how: number | string | null): void {
  if (how === 0 || how === "SIGKILL") return;
  if (deadly.has(how)) tally.workersPoisoned += 1;
  else if (place.kind === "postgres" && place.library === "postgres.js") tally.crashesOfPostgresJs += 1;
  else tally.processesCrashed += 1;
}
