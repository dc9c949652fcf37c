import { ChainwrightError } from "../model/error.ts";
import type { JobTypeDefinition } from "../model/job-type.ts";
import type { Refusals } from "./definition-refusals.ts";
import type { JobTypes, MergedTypes } from "./job-types.ts";
import type { SchemaDefinition, TypesOfSchemas } from "./schema-definitions.ts";

/** The types of a slice, which is given as these types or as the result of `defineJobTypes`. */
type DefinitionsOf<Slice> = Slice extends JobTypes<infer Own, infer _External, infer _Form> ? Own : Slice;

type Definitions = { readonly [typeName: string]: SchemaDefinition };

/** The schemas themselves, but a wrong definition is replaced by a sentence about its error. */
type Checked<Schemas, Own, External> = unknown extends Schemas
  ? Definitions
  : [Schemas] extends [never]
    ? Schemas
    : [Refusals<Own, External>] extends [never]
      ? NoInfer<Schemas>
      : {
          readonly [Name in keyof Own]: [Refusals<Pick<Own, Name>, Omit<Own, Name> & External>] extends [never]
            ? unknown
            : Refusals<Pick<Own, Name>, Omit<Own, Name> & External>;
        };

/**
 * Declares a slice of job types, by types alone. Nothing is checked at run time.
 *
 * A second type parameter names the types of other slices that this one refers to: their definitions, or `typeof` the result of
 * `defineJobTypes` for them.
 *
 * @example
 * const orderJobTypes = defineJobTypes<{
 *   "order.place": { entry: true; input: { orderId: string }; continueWith: "order.charge" };
 *   "order.charge": { input: { orderId: string; cents: number }; output: { receipt: string }; blockers: ["stock.reserve"] };
 *   "stock.reserve": { entry: true; input: { sku: string }; output: { reserved: number } };
 * }>();
 */
export function defineJobTypes<
  /* In a template the compiler shows several sentences as they are, not the name of the type that made them. */
  Own extends ([Refusals<Own, DefinitionsOf<External>>] extends [never]
    ? unknown
    : `${Refusals<Own, DefinitionsOf<External>>}`),
  External = {},
>(): JobTypes<Own, DefinitionsOf<External>>;

/**
 * Declares a slice of job types with schemas. Inputs, outputs and continuations are checked when they are written, and the value
 * that the schema returns is stored. Any Standard Schema is accepted (zod, valibot, arktype...).
 *
 * @param options `external` lists the slices whose types this one refers to.
 *
 * @example
 * import { z } from "zod";
 *
 * const orderJobTypes = defineJobTypes({
 *   "order.place": { entry: true, input: z.object({ orderId: z.string() }), continueWith: ["order.charge"] },
 *   "order.charge": { input: z.object({ orderId: z.string(), cents: z.number() }), output: z.object({ receipt: z.string() }) },
 * });
 */
export function defineJobTypes<const Schemas, const External extends readonly object[] = []>(
  definitions: Checked<Schemas, TypesOfSchemas<Schemas>, MergedTypes<External>>,
  options?: { readonly external: External },
): JobTypes<TypesOfSchemas<Schemas>, MergedTypes<External>, "schemas">;

export function defineJobTypes(definitions?: Definitions): {
  readonly definitions: Readonly<Record<string, JobTypeDefinition>> | undefined;
} {
  if (definitions === undefined) return { definitions: undefined };
  if (typeof definitions !== "object" || definitions === null)
    throw refused(`definitions must be an object with a definition for each name; got ${kindOf(definitions)}`);
  for (const [typeName, definition] of Object.entries(definitions)) checkDefinition(typeName, definition);
  return { definitions: { ...definitions } };
}

const definitionKeys = {
  entry: true,
  input: true,
  output: true,
  continueWith: true,
  blockers: true,
} satisfies Record<keyof JobTypeDefinition, true>;

function checkDefinition(typeName: string, definition: unknown): void {
  if (typeof definition !== "object" || definition === null)
    throw refused(`the definition of "${typeName}" must be an object; got ${kindOf(definition)}`);
  const unknownKey = Object.keys(definition).find((key) => !Object.hasOwn(definitionKeys, key));
  if (unknownKey !== undefined) throw refused(`"${typeName}" has "${unknownKey}", which no job type has`);
  const { entry, input, output, continueWith, blockers }: { readonly [key: string]: unknown } = { ...definition };
  if (entry !== undefined && typeof entry !== "boolean")
    throw refused(`entry of "${typeName}" must be true or false; got ${kindOf(entry)}`);
  if (!isSchema(input)) throw refused(`input of "${typeName}" must be a Standard Schema; got ${kindOf(input)}`);
  if (output !== undefined && !isSchema(output))
    throw refused(`output of "${typeName}" must be a Standard Schema; got ${kindOf(output)}`);
  if (continueWith !== undefined && !Array.isArray(continueWith))
    throw refused(`continueWith of "${typeName}" must be an array of names; got ${kindOf(continueWith)}`);
  if (blockers !== undefined && !Array.isArray(blockers))
    throw refused(`blockers of "${typeName}" must be an array of names; got ${kindOf(blockers)}`);
  if (output === undefined && continueWith === undefined) {
    throw refused(`"${typeName}" has neither an output nor a continueWith; a last step needs an output`);
  }
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

function kindOf(value: unknown): string {
  return value === null || value === undefined ? String(value) : `a value of type ${typeof value}`;
}

function refused(sentence: string): ChainwrightError {
  return new ChainwrightError("invalid-input", `${sentence}.`);
}
