import type { VersionLadder, VersionSlice } from "../model/version-step.ts";
import { kindOf, wrongDefinition } from "./check-definition.ts";

const optionKeys = ["jobTypes", "inputs", "outputs", "writes"];

/** Checks versions, which JavaScript code may have written, or a type that the compiler does not check. */
export function checkVersions(options: object): VersionSlice {
  const unknownKey = Object.keys(record(options, "the options of defineVersions")).find(
    (key) => !optionKeys.includes(key),
  );
  if (unknownKey !== undefined)
    throw wrongDefinition(`defineVersions has no option "${unknownKey}"; its options are ${optionKeys.join(", ")}`);
  const { jobTypes, inputs, outputs, writes }: { readonly [key: string]: unknown } = { ...options };
  const { definitions } = record(jobTypes, "jobTypes");
  const names = definitions === undefined ? undefined : Object.keys(record(definitions, "jobTypes"));
  const checkedInputs = ladders(inputs, { what: "inputs", names });
  return {
    inputs: checkedInputs,
    outputs: ladders(outputs, { what: "outputs", names }),
    writes: versionsToWrite(writes, checkedInputs),
  };
}

function ladders(
  given: unknown,
  { what, names }: { readonly what: string; readonly names: readonly string[] | undefined },
): Readonly<Record<string, VersionLadder>> {
  if (given === undefined) return {};
  const checked: [string, VersionLadder][] = [];
  for (const [typeName, ladder] of Object.entries(record(given, what))) {
    if (names?.includes(typeName) === false)
      throw wrongDefinition(`${what} has "${typeName}", which is not a job type of the slice`);
    if (!isLadder(ladder))
      throw wrongDefinition(`${what} of "${typeName}" must begin with stored<...>(); got ${kindOf(ladder)}`);
    checked.push([typeName, { steps: ladder.steps }]);
  }
  return Object.fromEntries(checked);
}

function versionsToWrite(
  given: unknown,
  inputs: Readonly<Record<string, VersionLadder>>,
): Readonly<Record<string, number>> {
  if (given === undefined) return {};
  const writes: [string, number][] = [];
  for (const [typeName, version] of Object.entries(record(given, "writes"))) {
    const steps = Object.hasOwn(inputs, typeName) ? inputs[typeName]?.steps : undefined;
    if (steps === undefined) throw wrongDefinition(`writes has "${typeName}", which has no versions of its input`);
    const newest = steps.length + 1;
    if (typeof version !== "number" || !Number.isInteger(version) || version < 1 || version > newest)
      throw wrongDefinition(
        `writes of "${typeName}" must be a version from 1 to ${newest}; got ${typeof version === "number" ? version : kindOf(version)}`,
      );
    const without = steps.findIndex(({ back }, place) => place >= version - 1 && back === undefined);
    if (without !== -1)
      throw wrongDefinition(
        `version ${version} of "${typeName}" cannot be written: version ${without + 2} has no back; pass it to .then(up, { back })`,
      );
    writes.push([typeName, version]);
  }
  return Object.fromEntries(writes);
}

function isLadder(value: unknown): value is VersionLadder {
  return typeof value === "object" && value !== null && "steps" in value && Array.isArray(value.steps);
}

function record(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null)
    throw wrongDefinition(`${what} must be an object; got ${kindOf(value)}`);
  return { ...value };
}
