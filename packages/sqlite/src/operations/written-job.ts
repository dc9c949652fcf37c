import type { JobStart, Refusal, StartedJob } from "chainwright/adapter";
import type { KeyHolder } from "./deduplication.ts";

/** Writes a job with its blockers. Refused half-way, it has written: whoever calls undoes it. */
export interface WriteJob {
  /** The first job of a new chain, or the chain that holds its deduplication key. */
  first(start: JobStart, options: FirstOptions): FirstWritten | Refused;
  /** A further step. */
  next(start: JobStart, place: NextPlace): Written | Refused;
}

export interface FirstOptions {
  readonly now: number;
  /** Whether it is begun as somebody's blocker. */
  readonly awaited: boolean;
}

interface NextPlace {
  readonly chain: number;
  readonly chainId: string;
  readonly step: number;
  readonly now: number;
}

export interface Refused {
  readonly refusal: Refusal;
}

export interface Written {
  readonly refusal?: undefined;
  readonly seq: number;
  readonly status: StartedJob["status"];
  /** This job, then those of blockers begun with it. */
  readonly jobs: readonly StartedJob[];
}

export type FirstWritten = (Written & { readonly holder?: undefined }) | HeldElsewhere;

interface HeldElsewhere {
  readonly refusal?: undefined;
  /** The chain that holds the key. */
  readonly holder: KeyHolder;
}
