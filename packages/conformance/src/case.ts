import { chosenAreas } from "./areas.ts";

/**
 * One rule, ready to run in any test runner.
 *
 * @example
 * import { test } from "node:test";
 *
 * function register({ name, skipped, run }: ConformanceCase): void {
 *   test(name, { skip: skipped ?? false, timeout: 30_000 }, run);
 * }
 * notifyConformance({ createAdapter }).forEach(register);
 */
export interface ConformanceCase {
  /** `subject: rule`, unique within its suite. */
  readonly name: string;
  /** The part of the suite that it belongs to; see the option `areas`. */
  readonly area: string;
  /** Why this backend cannot run it, as given in `without`. Undefined if it can. */
  readonly skipped: string | undefined;
  /** Resolves when the rule holds; rejects with a readable failure. A skipped case rejects: skip it in the runner. */
  run(): Promise<void>;
}

/** Rules of one subject that need the same surroundings. */
export interface CaseGroup<Context, Need extends string> {
  readonly subject: string;
  /** What the backend must offer beyond the port. */
  readonly needs: Need | undefined;
  readonly rules: Readonly<Record<string, (context: Context) => Promise<void>>>;
}

interface Binding<Context, Need extends string> {
  /** The names of the areas, in their order. Left out: every subject is an area. */
  readonly areas?: readonly string[] | undefined;
  /** The area of a case. */
  readonly areaOf?: ((group: CaseGroup<Context, Need>, name: string) => string) | undefined;
  /** The areas that were asked for. */
  readonly asked: readonly string[] | undefined;
  readonly without: Readonly<Partial<Record<Need, string>>>;
  /** Builds a context, runs the rule in it, and cleans up whether the rule holds or not. */
  readonly within: (rule: (context: Context) => Promise<void>, group: CaseGroup<Context, Need>) => Promise<void>;
}

/** Turns groups into cases for one backend, in the order of their areas. */
export function casesOf<Context, Need extends string>(
  groups: readonly CaseGroup<Context, Need>[],
  binding: Binding<Context, Need>,
): readonly ConformanceCase[] {
  const areas = binding.areas ?? [...new Set(groups.map(({ subject }) => subject))];
  const chosen = chosenAreas(areas, binding.asked);
  const cases = groups.flatMap((group) => casesOfGroup(group, binding));
  return areas.filter((area) => chosen.has(area)).flatMap((area) => cases.filter((each) => each.area === area));
}

function casesOfGroup<Context, Need extends string>(
  group: CaseGroup<Context, Need>,
  { without, within, areaOf }: Binding<Context, Need>,
): readonly ConformanceCase[] {
  const reason = group.needs === undefined ? undefined : without[group.needs];
  return Object.entries(group.rules).map(([rule, check]) => {
    const name = `${group.subject}: ${rule}`;
    return {
      name,
      area: areaOf?.(group, name) ?? group.subject,
      skipped: reason,
      run: () => {
        if (reason !== undefined) return Promise.reject(new Error(`"${name}" is skipped: ${reason}`));
        return within(check, group);
      },
    };
  });
}
