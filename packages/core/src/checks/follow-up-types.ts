import type { JobTypeDefinition } from "../model/job-type.ts";
import { invalid } from "./check-options.ts";
import { listNames } from "./list-names.ts";

/** What may undo the steps of job types, and what runs if their chains stop, as far as definitions with schemas say it. */
export interface FollowUpTypes {
  /**
   * The type that runs if a chain of a type stops. Undefined: none.
   *
   * @param given what a start names; it may be left out where a definition says it
   */
  whenStoppedOf(typeName: string, given: string | undefined): string | undefined;
  /** Rejects a compensation that the type does not declare. */
  assertCompensation(from: string, to: string): void;
}

type Definitions = ReadonlyMap<string, JobTypeDefinition>;

export function createFollowUpTypes(definitions: Definitions, assertEntry: (typeName: string) => void): FollowUpTypes {
  for (const [typeName, { compensate, whenStopped, entry }] of definitions) {
    if (whenStopped !== undefined && entry !== true)
      throw invalid(`"${typeName}" has a whenStopped; only an entry can have one. Declare it with entry: true.`);
    for (const [option, name] of [
      ...namesIn(whenStopped).map((each) => ["whenStopped", each] as const),
      ...namesIn(compensate).map((each) => ["compensate", each] as const),
    ])
      checkTarget(definitions, { typeName, option, name });
  }
  return {
    whenStoppedOf(typeName, given) {
      const definition = definitions.get(typeName);
      const declared = definition === undefined ? undefined : namesIn(definition.whenStopped)[0];
      if (given === undefined) return declared;
      assertEntry(given);
      if (definition !== undefined && given !== declared)
        throw invalid(`whenStopped of "${typeName}" must be ${declared ?? "left out"}; got "${given}".`);
      return given;
    },
    assertCompensation(from, to) {
      assertEntry(to);
      if (from === to) throw invalid(`"${from}" cannot compensate itself.`);
      const definition = definitions.get(from);
      const names = namesIn(definition?.compensate);
      if (definition === undefined || names.includes(to)) return;
      const allowed = names.length === 0 ? "nothing; declare a compensate" : listNames(names);
      throw invalid(`"${from}" is compensated by ${allowed}, not by "${to}".`);
    },
  };
}

interface Target {
  readonly typeName: string;
  readonly option: string;
  readonly name: string;
}

function checkTarget(definitions: Definitions, { typeName, option, name }: Target): void {
  const target = definitions.get(name);
  if (name === typeName) throw invalid(`"${typeName}" names itself as its ${option}.`);
  if (target === undefined) return;
  if (target.entry !== true)
    throw invalid(`"${name}" is not an entry; "${typeName}" names it as its ${option}. Declare it with entry: true.`);
  if ((target.blockers ?? []).length > 0)
    throw invalid(`"${name}" waits for blockers, so "${typeName}" cannot name it as its ${option}.`);
}

function namesIn(value: unknown): readonly string[] {
  const names: readonly unknown[] = Array.isArray(value) ? value : [value];
  return names.filter((name) => typeof name === "string");
}
