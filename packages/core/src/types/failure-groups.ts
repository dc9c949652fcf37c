/**
 * Selects failures by what they have in common.
 *
 * @example
 * const sameAs = (error: AttemptError): FailureFilter => ({ failureKind: error.kind });
 * const job = await client.getJob({ id });
 * const { items } = await client.listJobs(job?.lastError === undefined ? {} : sameAs(job.lastError));
 * await client.retryChains({ items: items.map(({ chainId }) => ({ id: chainId })) });
 */
export interface FailureFilter {
  /** Only failed jobs whose failure is of this kind, as `groupFailures` and `lastError.kind` name it. Empty: those without a kind. */
  readonly failureKind?: string | undefined;
  /** Only jobs that have failed then or later. */
  readonly failedSince?: Date | undefined;
}

/**
 * Options of `client.groupFailures`.
 *
 * @example
 * const lastHour = (): Pick<GroupFailuresOptions<string>, "failedSince"> => ({ failedSince: new Date(Date.now() - 3_600_000) });
 * const { groups } = await client.groupFailures(lastHour());
 */
export interface GroupFailuresOptions<out Name> extends Pick<FailureFilter, "failedSince"> {
  /** Default: all types. */
  readonly typeName?: Name | readonly Name[] | undefined;
  /** The most groups, up to 1,000. Default: 50. */
  readonly limit?: number | undefined;
}

/** Jobs of one type that have failed with errors of one kind: the same error with the same words, thrown at the same place. */
export interface FailureGroup {
  readonly typeName: string;
  /** Pass it as `failureKind` to `listJobs`. Empty: these failed without one being stored, by a worker of an older release. */
  readonly kind: string;
  readonly count: number;
  /** When the first and the last of them failed. */
  readonly firstAt: Date;
  readonly lastAt: Date;
  /** The id of one that failed last: its `lastError` has the message. */
  readonly newestJobId: string;
}

/** What has failed, in groups. */
export interface FailureGroups {
  /** The largest first. */
  readonly groups: readonly FailureGroup[];
  /** How many groups there are in all. */
  readonly groupCount: number;
  /** How many failures there are in all of them. */
  readonly failureCount: number;
}
