import { ChainwrightError } from "../model/error.ts";
import type { JobTypeDefinition } from "../model/job-type.ts";

const definitionKeys = {
  entry: true,
  input: true,
  output: true,
  continueWith: true,
  blockers: true,
  signals: true,
  checkpoint: true,
  progress: true,
  compensate: true,
  whenStopped: true,
  elsewhere: true,
} satisfies Record<keyof JobTypeDefinition, true>;

/** Refuses a wrong definition, which JavaScript code may have written, or a type that the compiler does not check. */
export function checkDefinition(typeName: string, definition: unknown): void {
  if (typeof definition !== "object" || definition === null)
    throw wrongDefinition(`the definition of "${typeName}" must be an object; got ${kindOf(definition)}`);
  const unknownKey = Object.keys(definition).find((key) => !Object.hasOwn(definitionKeys, key));
  if (unknownKey !== undefined)
    throw wrongDefinition(
      `"${typeName}" has "${unknownKey}", which no job type has; it may have ${Object.keys(definitionKeys).join(", ")}`,
    );
  const properties: { readonly [key: string]: unknown } = { ...definition };
  const {
    entry,
    input,
    output,
    continueWith,
    blockers,
    signals,
    checkpoint,
    progress,
    compensate,
    whenStopped,
    elsewhere,
  } = properties;
  if (entry !== undefined && typeof entry !== "boolean")
    throw wrongDefinition(`entry of "${typeName}" must be true or false; got ${kindOf(entry)}`);
  if (!isSchema(input)) throw wrongDefinition(`input of "${typeName}" must be a Standard Schema; got ${kindOf(input)}`);
  if (output !== undefined && !isSchema(output))
    throw wrongDefinition(`output of "${typeName}" must be a Standard Schema; got ${kindOf(output)}`);
  if (continueWith !== undefined) checkTargets(typeName, continueWith);
  if (blockers !== undefined) checkBlockers(typeName, blockers);
  if (signals !== undefined) checkSignals(typeName, signals, blockers);
  for (const [key, schema] of Object.entries({ checkpoint, progress }))
    if (schema !== undefined && !isSchema(schema))
      throw wrongDefinition(`${key} of "${typeName}" must be a Standard Schema; got ${kindOf(schema)}`);
  if (compensate !== undefined && typeof compensate !== "string" && !isNames(compensate))
    throw wrongDefinition(`compensate of "${typeName}" must be a name or an array of names; got ${kindOf(compensate)}`);
  if (whenStopped !== undefined && typeof whenStopped !== "string")
    throw wrongDefinition(`whenStopped of "${typeName}" must be a name; got ${kindOf(whenStopped)}`);
  if (elsewhere !== undefined && typeof elsewhere !== "boolean")
    throw wrongDefinition(`elsewhere of "${typeName}" must be true or false; got ${kindOf(elsewhere)}`);
  if (output === undefined && continueWith === undefined)
    throw wrongDefinition(`"${typeName}" has neither an output nor a continueWith; a last step needs an output`);
}

function checkTargets(typeName: string, continueWith: unknown): void {
  const targets: readonly unknown[] = Array.isArray(continueWith) ? continueWith : [continueWith];
  const wrong = targets.findIndex((target) => typeof target !== "string" && !isSchema(property(target, "input")));
  if (wrong === -1) return;
  throw wrongDefinition(
    `continueWith of "${typeName}" must be a name, { input: schema }, or an array of them; got ${kindOf(targets[wrong])}`,
  );
}

function checkBlockers(typeName: string, blockers: unknown): void {
  if (!Array.isArray(blockers))
    throw wrongDefinition(`blockers of "${typeName}" must be an array of names; got ${kindOf(blockers)}`);
  const list: readonly unknown[] = blockers;
  for (const [place, blocker] of list.entries()) {
    if (typeof blocker === "string" || isNames(property(blocker, "anyOf"))) continue;
    const rest = property(blocker, "rest");
    if (typeof rest !== "string" && !isNames(rest))
      throw wrongDefinition(
        `blocker ${place} of "${typeName}" must be a name, { anyOf: names }, or { rest: names }; got ${kindOf(blocker)}`,
      );
    if (place < list.length - 1)
      throw wrongDefinition(`blockers of "${typeName}" must have { rest: names } only in the last place`);
  }
}

function checkSignals(typeName: string, signals: unknown, blockers: unknown): void {
  if (typeof signals !== "object" || signals === null || Object.keys(signals).length === 0)
    throw wrongDefinition(
      `signals of "${typeName}" must be an object with a schema for each name; got ${kindOf(signals)}`,
    );
  const wrong = Object.entries(signals).find(([, schema]) => !isSchema(schema));
  if (wrong !== undefined)
    throw wrongDefinition(`signal "${wrong[0]}" of "${typeName}" must be a Standard Schema; got ${kindOf(wrong[1])}`);
  if (blockers !== undefined)
    throw wrongDefinition(`"${typeName}" has signals and blockers; let a step before it wait for the blockers`);
}

function property(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === "string");
}

/** Arktype's schemas are functions. */
function isSchema(value: unknown): boolean {
  if ((typeof value !== "object" && typeof value !== "function") || value === null || !("~standard" in value))
    return false;
  const standard = value["~standard"];
  return (
    typeof standard === "object" &&
    standard !== null &&
    "validate" in standard &&
    typeof standard.validate === "function"
  );
}

/** A value in the words of an error message, without its content. */
export function kindOf(value: unknown): string {
  return value === null || value === undefined ? String(value) : `a value of type ${typeof value}`;
}

export function wrongDefinition(sentence: string): ChainwrightError {
  return new ChainwrightError("invalid-input", `${sentence}.`);
}
