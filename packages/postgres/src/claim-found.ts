/** What a look found. */
export interface Seen {
  readonly server: string;
  /** The newest position when the look began. */
  readonly newest: number;
  readonly now: number;
  /** No release is pending before this position. */
  readonly released: number;
  /** Rows that are dead, but still there. */
  readonly dead: number;
  /** How long the look took on the server, times the number of workers that look for these types. */
  readonly tookMs: number;
  /** By rank and claim name: the first ready row after the places, and the ids of the ready jobs before them. */
  readonly ready: readonly (readonly [
    rank: number,
    claimName: string,
    position: number | null,
    before: readonly string[],
  ])[];
  /** By claim name, the position of its first job in the inbox. */
  readonly inbox: readonly (readonly [claimName: string, position: number])[];
  /** By claim name, when its first scheduled job is due. */
  readonly scheduled: readonly (readonly [claimName: string, dueAt: number])[];
}

/** Where a claim found its first rows. */
export interface ClaimFound {
  /** Identifies the server process: positions of one server say nothing about those of the server that replaces it. */
  readonly server: string;
  readonly places: readonly FirstRow[];
  /** Ranks at which jobs of any types are ready or leased. */
  readonly ranks: readonly number[];
  /** The newest position of the store; when the claim began, if it began at known places. */
  readonly newest: number;
  /** Every transaction that has written and has not ended has at least this id. */
  readonly oldestOpen: number;
  /** No transaction has this id yet. */
  readonly nextId: number;
  /** All jobs of the claimed types that were due before this moment are ready. */
  readonly due: number;
  /** Jobs that are ready, and perhaps before the places. */
  readonly returned: readonly string[];
  /** No release is pending before this position. */
  readonly released: number;
  /** No job of the claimed types and of priority 0 is in the inbox before this position. */
  readonly inbox: number;
  /** Rows that are dead, but still there: what a look from the beginning has to skip. */
  readonly dead: number;
  /**
   * How long the claim took on the server, times the number of workers that look for these types; 0 if it began at known places. It may
   * have waited for its commit or a connection in addition, as while a standby is away.
   */
  readonly tookMs: number;
}

/** The first row of a rank and claim name that a claim took. */
export type FirstRow = readonly [rank: number, claimName: string, position: number];
