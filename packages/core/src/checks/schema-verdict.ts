import { ChainwrightError } from "../model/error.ts";
import type { SchemaIssue, SchemaLike, SchemaResult } from "../model/job-type.ts";

/** The value that a schema returned, or what it says is wrong; a promise if it validates asynchronously. */
export type Verdict = { readonly value: unknown; readonly issues?: undefined } | { readonly issues: readonly string[] };

export function validate(schema: SchemaLike, value: unknown): Verdict | Promise<Verdict> {
  const result = schema["~standard"].validate(value);
  return result instanceof Promise ? result.then(verdictOf) : verdictOf(result);
}

/** Calls `use` with a value, at once if it is there: awaiting what is no promise would still take time. */
export function whenKnown<T, Result>(value: T | Promise<T>, use: (value: T) => Result): Result | Promise<Result> {
  return value instanceof Promise ? value.then(use) : use(value);
}

/** The same for several values. */
export function whenAllKnown<Result>(
  values: readonly unknown[],
  use: (values: readonly unknown[]) => Result,
): Result | Promise<Result> {
  return values.some((value) => value instanceof Promise) ? Promise.all(values).then(use) : use(values);
}

export function misfit(what: string, issues: readonly string[]): ChainwrightError {
  return new ChainwrightError("invalid-input", `${what} does not fit its schema: ${issues.join("; ")}.`, {
    details: { issues },
  });
}

function verdictOf(result: SchemaResult): Verdict {
  return result.issues === undefined ? result : { issues: result.issues.map(issueText) };
}

function issueText(issue: SchemaIssue): string {
  const path = (issue.path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join(".");
  return path === "" ? issue.message : `${path}: ${issue.message}`;
}
