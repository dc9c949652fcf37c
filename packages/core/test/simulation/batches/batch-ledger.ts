/** What the input of a job says of it. */
export interface ItemInput {
  readonly n: number;
  readonly group: number;
  /** Whether each call that gets it fails because of it. */
  readonly isPoison: boolean;
  readonly handlerMs: number;
}

/** What the handlers of a world have seen. */
export interface BatchLedger {
  /** By job: the attempts whose calls threw because of another job. One that a stopping worker gave back has its number twice. */
  readonly broken: Map<string, Set<number>>;
  readonly counts: Map<string, number>;
  started: number;
}

export function createBatchLedger(): BatchLedger {
  return { broken: new Map(), counts: new Map(), started: 0 };
}

export function count({ counts }: BatchLedger, what: string, by = 1): void {
  counts.set(what, (counts.get(what) ?? 0) + by);
}
