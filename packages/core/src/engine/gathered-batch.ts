/** A batch in which a claimed job waits for others, in a worker of this client. */
export interface GatheredBatch {
  /** Of the worker. */
  readonly name: string;
  /** How many jobs it has. */
  readonly count: number;
  /** How many it may have. */
  readonly size: number;
  /** After how long it begins at the latest. Undefined: it waits for a slot. */
  readonly mostMs: number | undefined;
}

/** Undefined: the job does not gather in this worker. */
export type FindBatch = (jobId: string) => GatheredBatch | undefined;
