import { failureKindOf } from "chainwright/adapter";
import type { Context } from "../context.ts";
import type { FailedGroup } from "../protocol/reads.ts";
import { cut, errorView, type AnyJob } from "../views.ts";

/** What the failures of one kind have in common. */
export type FailedKind = Pick<FailedGroup, "key" | "typeName" | "errorName" | "message" | "frame">;

const read = { message: 1_000, stack: 20_000 };
const longestShown = 300;

/** The kind of a failure as the reader sees it: its type, and what `failureKindOf` says of its error. */
export function kindOf(job: AnyJob, { redaction }: Pick<Context, "redaction">): FailedKind {
  const { typeName } = job;
  const error = job.lastError === undefined ? undefined : errorView(job.lastError, job, { redaction, detail: read });
  const { name, message, stack, causes } = error ?? noError;
  const [cause] = causes;
  const { kind, frame } = failureKindOf({ name, message, stack, cause });
  const said = cause === undefined ? message : `${message} (cause: ${cause})`;
  return { key: kind, typeName, errorName: name, message: cut(said, longestShown), frame };
}

const noError = { name: "", message: "No error was recorded.", stack: undefined, causes: [] };
