import { ChainwrightError } from "../model/error.ts";
import { checkName, invalid, isList } from "./check-options.ts";
import type { JobTypeDefinition, JobTypeSlice, SchemaLike } from "../model/job-type.ts";
import type { LimitSlice } from "../model/limit.ts";
import type { VersionSlice } from "../model/version-step.ts";
import { createFollowUpTypes, type FollowUpTypes } from "./follow-up-types.ts";
import { parse } from "./json.ts";
import { createLimitRegistry, type LimitRegistry } from "./limit-registry.ts";
import { createNoteRegistry, type NoteRegistry } from "./note-registry.ts";
import { createSignalRegistry, type SignalRegistry } from "./signal-registry.ts";
import { listNames } from "./list-names.ts";
import { misfit, validate, whenKnown, type Verdict } from "./schema-verdict.ts";
import { createStoredVersions, type StoredVersions } from "./stored-versions.ts";
import { UnreadableInput, type StoredValue } from "./unreadable-input.ts";

/** The job types of a client at run time. */
export interface JobTypeRegistry extends FollowUpTypes {
  readonly versions: StoredVersions;
  readonly limits: LimitRegistry;
  readonly signals: SignalRegistry;
  readonly notes: NoteRegistry;
  /** Rejects unknown names. A client with a slice that is declared by types alone has no complete list, and accepts all names. */
  assertKnown(typeName: string): void;
  /** Rejects types that may not start a chain or block a job. */
  assertEntry(typeName: string): void;
  /** Rejects types that may not start a chain, and those with required blockers: a schedule has no one who names them. */
  assertSchedulable(typeName: string): void;
  /** Validates an input if its type has a schema; the text is what is stored. Returns a promise if the schema does. */
  checkInput(typeName: string, text: string): void | Promise<void>;
  /**
   * The input that a handler gets for a stored one: lifted to the newest version, then what its schema makes of it, or a promise of
   * that.
   *
   * @throws `UnreadableInput`
   */
  readInput(typeName: string, text: string, version: number): unknown;
  /** The output to store for one that was returned, or a promise of it; `null` for `undefined`. */
  checkOutput(typeName: string, value: unknown): unknown;
  /** The types whose workers are elsewhere, as far as schemas declare them. */
  readonly elsewhere: readonly string[];
  /** Rejects unknown names, and types whose handlers are here. */
  assertElsewhere(typeName: string): void;
  /** Rejects a continuation that the type does not declare. */
  assertContinuation(from: string, to: string): void;
}

/** What a client is given for its job types. */
interface GivenForTypes {
  readonly versions?: readonly VersionSlice[] | undefined;
  readonly limits?: readonly LimitSlice[] | undefined;
}

export function createJobTypeRegistry(
  slices: readonly JobTypeSlice[],
  { versions: versionSlices = [], limits: limitSlices }: GivenForTypes = {},
): JobTypeRegistry {
  const definitions = mergeSlices(slices);
  const complete = slices.every((slice) => slice.definitions !== undefined);
  const isKnown = (typeName: string): boolean => !complete || definitions.has(typeName);
  const versions = createStoredVersions(versionSlices, isKnown);

  const assertKnown = (typeName: string): void => {
    if (!definitions.has(typeName)) checkName(typeName, "typeName");
    if (complete && !definitions.has(typeName)) {
      throw new ChainwrightError(
        "unknown-job-type",
        `"${typeName}" is not a job type of this client; it has ${listNames(definitions.keys())}.`,
      );
    }
  };
  const assertEntry = (typeName: string): void => {
    assertKnown(typeName);
    const definition = definitions.get(typeName);
    if (definition === undefined || definition.entry === true) return;
    throw new ChainwrightError("not-an-entry", `"${typeName}" cannot start a chain: declare it with entry: true.`);
  };
  return {
    ...createFollowUpTypes(definitions, assertEntry),
    versions,
    limits: createLimitRegistry(limitSlices, isKnown),
    signals: createSignalRegistry(definitions),
    notes: createNoteRegistry(definitions),
    assertKnown,
    elsewhere: namesElsewhere(definitions),
    assertElsewhere(typeName) {
      assertKnown(typeName);
      refuseHere(definitions.get(typeName), typeName);
    },
    assertEntry,
    assertSchedulable(typeName) {
      assertEntry(typeName);
      if (definitions.get(typeName)?.signals !== undefined)
        throw invalid(
          `"${typeName}" waits for signals; a schedule cannot say until when. Schedule a type whose handler starts "${typeName}".`,
        );
      if (!(definitions.get(typeName)?.blockers ?? []).some(isRequired)) return;
      throw invalid(
        `"${typeName}" waits for blockers; a schedule cannot give them. Schedule a type whose handler starts "${typeName}" with its blockers.`,
      );
    },
    checkInput: (typeName, text) => checkInput(definitions.get(typeName)?.input, typeName, text),
    readInput(typeName, text, version) {
      const stored = { payload: "input", typeName, version } as const;
      return fitToSchema(definitions.get(typeName)?.input, stored, versions.read(stored, text));
    },
    checkOutput: (typeName, value) => checkOutput(definitions.get(typeName), typeName, value),
    assertContinuation(from, to) {
      assertKnown(to);
      refuseOtherTarget(definitions.get(from)?.continueWith, from, to);
    },
  };
}

function refuseOtherTarget(declared: unknown, from: string, to: string): void {
  if (declared === undefined) return;
  const targets: readonly unknown[] = isList(declared) ? declared : [declared];
  const named = targets.filter((target) => typeof target === "string");
  if (named.length !== targets.length || named.includes(to)) return;
  throw new ChainwrightError("handler-result", `"${from}" continues with ${listNames(named)}, not with "${to}".`);
}

function namesElsewhere(definitions: ReadonlyMap<string, JobTypeDefinition>): readonly string[] {
  return [...definitions].flatMap(([typeName, { elsewhere }]) => (elsewhere === true ? [typeName] : []));
}

function refuseHere(definition: JobTypeDefinition | undefined, typeName: string): void {
  if (definition === undefined || definition.elsewhere === true) return;
  throw invalid(`"${typeName}" has its handlers here: declare it with elsewhere: true for workers elsewhere.`);
}

/** `{ rest: names }` takes any number of blockers, none included. */
function isRequired(blocker: unknown): boolean {
  return !(typeof blocker === "object" && blocker !== null && "rest" in blocker);
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

/** Validates what the handler will read, not the caller's value: they may differ, and a schema may change what it is given. */
function checkInput(schema: SchemaLike | undefined, typeName: string, text: string): void | Promise<void> {
  if (schema === undefined) return;
  return whenKnown(validate(schema, parse(text)), ({ issues }) => {
    if (issues !== undefined) throw misfit(`the input of "${typeName}"`, issues);
  });
}

function fitToSchema(schema: SchemaLike | undefined, stored: StoredValue, value: unknown): unknown {
  if (schema === undefined) return value;
  const fail = (cause: unknown): never => {
    throw new UnreadableInput(stored, { why: "schema-threw", cause });
  };
  let verdict: Verdict | Promise<Verdict>;
  try {
    verdict = validate(schema, value);
  } catch (error) {
    return fail(error);
  }
  return whenKnown(verdict instanceof Promise ? verdict.catch(fail) : verdict, (known) => {
    if (known.issues !== undefined) throw new UnreadableInput(stored, { why: "schema", issues: known.issues });
    return known.value;
  });
}

function checkOutput(definition: JobTypeDefinition | undefined, typeName: string, value: unknown): unknown {
  if (definition === undefined) return value ?? null;
  if (definition.output === undefined)
    throw new ChainwrightError("invalid-input", `"${typeName}" has no output; it can only continue.`);
  return whenKnown(validate(definition.output, value), (verdict) => {
    if (verdict.issues !== undefined) throw misfit(`the output of "${typeName}"`, verdict.issues);
    return verdict.value ?? null;
  });
}
