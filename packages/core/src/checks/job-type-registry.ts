import { ChainwrightError } from "../model/error.ts";
import { checkName } from "./check-options.ts";
import type { JobTypeDefinition, JobTypeSlice, SchemaIssue, SchemaLike } from "../model/job-type.ts";

/** The job types of a client at run time. */
export interface JobTypeRegistry {
  /** Rejects unknown names. A client with a slice that is declared by types alone has no complete list, and accepts all names. */
  assertKnown(typeName: string): void;
  /** Rejects types that may not start a chain or block a job. */
  assertEntry(typeName: string): void;
  /** Validates an input if its type has a schema. Returns the value to store. */
  checkInput(typeName: string, value: unknown): unknown;
  checkOutput(typeName: string, value: unknown): unknown;
  /** Rejects a continuation that the type does not declare. */
  assertContinuation(from: string, to: string): void;
}

export function createJobTypeRegistry(slices: readonly JobTypeSlice[]): JobTypeRegistry {
  const definitions = mergeSlices(slices);
  const complete = slices.every((slice) => slice.definitions !== undefined);

  const assertKnown = (typeName: string): void => {
    if (!definitions.has(typeName)) checkName(typeName, "typeName");
    if (complete && !definitions.has(typeName)) {
      throw new ChainwrightError(
        "unknown-job-type",
        `"${typeName}" is not a job type of this client; it has ${listNames(definitions.keys())}.`,
      );
    }
  };
  return {
    assertKnown,
    assertEntry(typeName) {
      assertKnown(typeName);
      const definition = definitions.get(typeName);
      if (definition === undefined || definition.entry === true) return;
      throw new ChainwrightError("not-an-entry", `"${typeName}" cannot start a chain: declare it with entry: true.`);
    },
    checkInput: (typeName, value) => check(definitions.get(typeName)?.input, value, `the input of "${typeName}"`),
    checkOutput: (typeName, value) => check(definitions.get(typeName)?.output, value, `the output of "${typeName}"`),
    assertContinuation(from, to) {
      assertKnown(to);
      const targets = definitions.get(from)?.continueWith;
      const named = targets?.filter((target) => typeof target === "string");
      if (targets === undefined || named?.length !== targets.length || named.includes(to)) return;
      throw new ChainwrightError("handler-result", `"${from}" continues with ${listNames(named)}, not with "${to}".`);
    },
  };
}

function mergeSlices(slices: readonly JobTypeSlice[]): Map<string, JobTypeDefinition> {
  const definitions = new Map<string, JobTypeDefinition>();
  for (const slice of slices) {
    for (const [typeName, definition] of Object.entries(slice.definitions ?? {})) {
      checkName(typeName, "typeName");
      if (definitions.has(typeName)) {
        throw new ChainwrightError(
          "duplicate-job-type",
          `"${typeName}" is declared by two slices; give one of them another name.`,
        );
      }
      definitions.set(typeName, definition);
    }
  }
  return definitions;
}

/** The value to store, or a promise of it if the schema validates asynchronously. */
function check(schema: SchemaLike | undefined, value: unknown, what: string): unknown {
  if (schema === undefined) return refusePromise(value, what);
  const result = schema["~standard"].validate(value);
  return result instanceof Promise ? result.then((settled) => accept(settled, what)) : accept(result, what);
}

function accept(result: Awaited<ReturnType<SchemaLike["~standard"]["validate"]>>, what: string): unknown {
  if (result.issues === undefined) return result.value;
  const issues = result.issues.map(issueText);
  throw new ChainwrightError("invalid-input", `${what} does not fit its schema: ${issues.join("; ")}.`, {
    details: { issues },
  });
}

/** A promise that is passed by mistake is not awaited: only a schema may validate asynchronously. */
function refusePromise(value: unknown, what: string): unknown {
  if (!(value instanceof Promise)) return value;
  const message = `${what} is a Promise, which JSON cannot carry; await it first.`;
  throw new ChainwrightError("payload-not-serializable", message);
}

function issueText(issue: SchemaIssue): string {
  const path = (issue.path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join(".");
  return path === "" ? issue.message : `${path}: ${issue.message}`;
}

function listNames(names: Iterable<string>): string {
  const all = Array.from(names, (name) => `"${name}"`);
  return all.length === 0
    ? "none"
    : all.slice(0, 10).join(", ") + (all.length > 10 ? ` and ${all.length - 10} more` : "");
}
