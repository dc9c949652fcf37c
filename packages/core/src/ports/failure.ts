/** Selects failed jobs for groups. */
export interface FailureQuery {
  /** Undefined: all. */
  readonly typeNames: readonly string[] | undefined;
  /** Only jobs that failed then or later, in milliseconds since 1970. Undefined: whenever. */
  readonly since: number | undefined;
  /** The most groups. */
  readonly limit: number;
}

/** Jobs of one type that failed with errors of one kind. */
export interface FailureGroupRecord {
  readonly typeName: string;
  /** See `storedFailureKind`. */
  readonly kind: string;
  readonly count: number;
  /** When the first and the last of them failed. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** Of those that failed last, the one with the last id. */
  readonly newestJobId: string;
}

/** The largest groups, those of the same size by when the last of them failed. */
export interface FailureGroupsReply {
  readonly groups: readonly FailureGroupRecord[];
  /** How many groups and failures there are in all. */
  readonly groupCount: number;
  readonly failureCount: number;
}
