import type { Evidence, JobRow, Span } from "./evidence.ts";

/**
 * A longer exchange while the migration runs breaks a rule, unless exchanges before it took half as long: then the machine is too
 * busy.
 */
const longestExchangeMs = 1_000;

/** The longest description of a place in a report, in characters. */
const longestPlace = 300;

type Finder = (evidence: Evidence) => readonly string[];

/** What must not be found, each with the places where it was. */
const rules: Readonly<Record<string, Finder>> = {
  "an acknowledged chain is not in the store": ({ jobs, said }) => {
    const known = new Set(jobs.map(({ chain_id: chain }) => chain));
    return [...said.acknowledged, ...said.keyed.map(({ chainId }) => chainId)].filter((id) => !known.has(id));
  },
  "a chain has not completed": ({ jobs }) =>
    jobs.filter(({ step, chain_status: status }) => step === 1 && status !== "completed").map(nameOf),
  "a chain has not the jobs that were planned": ({ jobs, said }) => {
    const steps = Map.groupBy(jobs, ({ chain_id: chain }) => chain);
    return [...said.planned].flatMap(([id, count]) => {
      const found = (steps.get(id) ?? []).map(({ step }) => step).toSorted((left, right) => left - right);
      // A start whose process was killed may never have happened.
      const isAsPlanned = found.length === count && found.every((step, index) => step === index + 1);
      return found.length === 0 || isAsPlanned ? [] : [`${id}: ${found.join()} of ${count}`];
    });
  },
  "a job has completed without its effect": ({ jobs, effects }) => {
    const written = new Set(effects.map(({ job_id: id, attempt }) => `${id} ${attempt}`));
    return jobs
      .filter(({ id, status, attempt }) => status === "completed" && !written.has(`${id} ${attempt}`))
      .map(nameOf);
  },
  "an effect is doubled": ({ effects }) =>
    [...Map.groupBy(effects, ({ job_id: id }) => id)].filter(([, all]) => all.length > 1).map(([id]) => id),
  "a handler got what it should not": ({ effects }) =>
    effects.flatMap(({ job_id: id, wrong, release }) =>
      wrong === null ? [] : [`${id} in release ${release}: ${wrong}`],
    ),
  "an attempt was burnt": burntAttempts,
  "a job of a paused type was claimed": ({ jobs, leases, said, pause }) => {
    const paused = new Set(jobs.flatMap(({ id, type }) => (type === pause.typeName ? [id] : [])));
    return leases.flatMap(({ job_id: id, worker, at }) => {
      const release = said.workers.get(worker);
      const isLate = at > pause.began && at < pause.ended && release !== undefined && pause.releases.has(release);
      return isLate && paused.has(id) ? [`${id} by a worker of ${release} release`] : [];
    });
  },
  "a key has several chains": ({ said }) =>
    [...Map.groupBy(said.keyed, ({ key }) => key)]
      .filter(([, all]) => new Set(all.map(({ chainId }) => chainId)).size > 1)
      .map(([key]) => key),
  "a process met an error": ({ said }) => said.troubles,
  "an exchange took over a second because of the migration": ({ said, migration }) => {
    const usual = longestOf(said.slowExchanges.filter(({ ended }) => ended < migration.began));
    return said.slowExchanges
      .filter((each) => isDuring(each, migration) && lengthOf(each) > Math.max(longestExchangeMs, 2 * usual))
      .map((each) => `${lengthOf(each)} ms`);
  },
};

/** The attempts that count although no handler let them fail and no process was killed in them. */
function burntAttempts({ effects, leases, killed }: Evidence): readonly string[] {
  // An attempt that a worker gave back is given again under the same number.
  const holders = new Map(leases.map(({ job_id: id, attempt, worker }) => [`${id} ${attempt}`, worker]));
  return effects.flatMap(({ job_id: id, attempt, asked }) =>
    Array.from({ length: Math.max(0, attempt - 1 - asked) }, (_, index) => `${id} ${asked + 1 + index}`).filter(
      (each) => !killed.has(holders.get(each) ?? ""),
    ),
  );
}

function isDuring(one: Span, other: Span): boolean {
  return one.began <= other.ended && one.ended >= other.began;
}

function nameOf({ id, type, status }: JobRow): string {
  return `${type} ${id} (${status})`;
}

/** Returns a line for each broken rule. */
export function judge(evidence: Evidence): readonly string[] {
  return Object.entries(rules).flatMap(([rule, find]) => {
    const found = find(evidence);
    return found.length === 0
      ? []
      : [
          `${rule}: ${found.length}, such as ${found
            .slice(0, 3)
            .map((each) => each.slice(0, longestPlace))
            .join("; ")}`,
        ];
  });
}

/** Attempts that ended with their process. */
export function lostAttempts({ effects }: Evidence): number {
  return effects.reduce((sum, { attempt, asked }) => sum + attempt - 1 - asked, 0);
}

/** The longest exchange while the migration ran, in milliseconds; undefined if none was long. */
export function longestExchange({ said, migration }: Pick<Evidence, "said" | "migration">): number | undefined {
  const spans = said.slowExchanges.filter((each) => isDuring(each, migration));
  return spans.length === 0 ? undefined : longestOf(spans);
}

function lengthOf({ began, ended }: Span): number {
  return ended - began;
}

function longestOf(spans: readonly Span[]): number {
  return spans.reduce((most, span) => Math.max(most, lengthOf(span)), 0);
}
