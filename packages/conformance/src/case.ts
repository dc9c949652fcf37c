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
  /** `area: rule`, unique within its suite. */
  readonly name: string;
  /** Why this backend cannot run it, as given in `without`. Undefined if it can. */
  readonly skipped: string | undefined;
  /** Resolves when the rule holds; rejects with a readable failure. A skipped case rejects: skip it in the runner. */
  run(): Promise<void>;
}

/** Rules of one area that need the same surroundings. */
export interface CaseGroup<Context, Need extends string> {
  readonly area: string;
  /** What the backend must offer beyond the port. */
  readonly needs: Need | undefined;
  readonly rules: Readonly<Record<string, (context: Context) => Promise<void>>>;
}

interface Binding<Context, Need extends string> {
  readonly without: Readonly<Partial<Record<Need, string>>>;
  /** Builds a context, runs the rule in it, and cleans up whether the rule holds or not. */
  readonly within: (rule: (context: Context) => Promise<void>) => Promise<void>;
}

/** Turns groups into cases for one backend. */
export function casesOf<Context, Need extends string>(
  groups: readonly CaseGroup<Context, Need>[],
  binding: Binding<Context, Need>,
): readonly ConformanceCase[] {
  return groups.flatMap((group) => {
    const reason = group.needs === undefined ? undefined : binding.without[group.needs];
    return Object.entries(group.rules).map(([rule, check]) => {
      const name = `${group.area}: ${rule}`;
      return {
        name,
        skipped: reason,
        run: () => {
          if (reason !== undefined) return Promise.reject(new Error(`"${name}" is skipped: ${reason}`));
          return binding.within(check);
        },
      };
    });
  });
}
