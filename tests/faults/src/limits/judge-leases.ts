/** A line of the log of leases. */
export interface Lease {
  readonly jobId: string;
  readonly type: string;
  readonly key: string;
  /** `put back`: for a retry, or by a worker that stops. */
  readonly what: "leased" | "put back" | "ended";
  /** From here on of `leased` only. */
  readonly attempt: number | undefined;
  readonly at: number | undefined;
}

/** Whether jobs of the type have one place for each key, and a row of the application. */
export function isWitnessed(type: string): boolean {
  return type === "alone" || type === "held";
}

/** The jobs that had a lease while another one of their key had a place. Leases are in their order. */
export function findOverlaps(leases: readonly Lease[]): readonly string[] {
  const found: string[] = [];
  const holders = new Map<string, string>();
  for (const { jobId, type, key, what } of leases) {
    if (!isWitnessed(type)) continue;
    const gate = `${type} ${key}`;
    const holder = holders.get(gate);
    if (what === "leased") {
      if (holder !== undefined && holder !== jobId) found.push(`${gate}: ${jobId} was leased beside ${holder}`);
      holders.set(gate, jobId);
    } else if (holder === jobId && (what === "ended" || type === "alone")) holders.delete(gate);
  }
  return found;
}

/** The moments at which more jobs of a key had begun within a time than its rate allows. What is taken over spends nothing. */
export function findBursts(
  leases: readonly Lease[],
  { count, perMs }: { readonly count: number; readonly perMs: number },
): readonly string[] {
  const firsts = leases.filter(({ type, what, attempt }) => type === "rated" && what === "leased" && attempt === 1);
  return [...Map.groupBy(firsts, ({ key }) => key)].flatMap(([key, ofKey]) => {
    const moments = ofKey.map(({ at = 0 }) => at).toSorted((left, right) => left - right);
    return moments.flatMap((at, index) => {
      const later = moments[index + count];
      return later !== undefined && later - at < perMs ? [`${key}: ${count + 1} began in ${later - at} ms`] : [];
    });
  });
}

/** Leases that followed one without an end: their worker had died. */
export function countTakeOvers(leases: readonly Lease[]): number {
  const running = new Set<string>();
  let count = 0;
  for (const { jobId, what } of leases) {
    if (what !== "leased") running.delete(jobId);
    else if (running.has(jobId)) count += 1;
    else running.add(jobId);
  }
  return count;
}
