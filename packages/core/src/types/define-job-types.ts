import type { JobTypeDefinition } from "../model/job-type.ts";
import { checkDefinition, kindOf, wrongDefinition } from "./check-definition.ts";
import type { NoDefinitions, Refusal, SchemaDefinitionKey } from "./definition-refusals.ts";
import type { JobTypes, MergedTypes } from "./job-types.ts";
import type { SchemaDefinition, TypesOfSchemas } from "./schema-definitions.ts";

/** The types of a slice, which is given as these types or as the result of `defineJobTypes`. */
type DefinitionsOf<Slice> = Slice extends JobTypes<infer Own, infer _External, infer _Form> ? Own : Slice;

/** As in the form by types, nothing where no slice is named: so that a type written by hand is the same. */
type ExternalOf<Slices> = Slices extends readonly [] ? {} : MergedTypes<Slices>;

type Definitions = { readonly [typeName: string]: SchemaDefinition };

/*
 * Without a type argument `Own` is the sentence of its constraint, and nothing else would be checked at the call. With `void` as `this`
 * any call passes.
 */
type CalledWith<Own> = unknown extends Own ? NoDefinitions : [Own] extends [string] ? NoInfer<Own> : void;

/** The schemas themselves, but a wrong definition is replaced by a sentence about its error. */
type Checked<Schemas, Own, External> = unknown extends Schemas
  ? Definitions
  : [Schemas] extends [never]
    ? Schemas
    : [Refusal<Own, External, SchemaDefinitionKey>] extends [never]
      ? [Schemas] extends [Definitions]
        ? NoInfer<Schemas>
        : Definitions
      : {
          readonly [Name in keyof Own]: [
            Refusal<Pick<Own, Name>, Omit<Own, Name> & External, SchemaDefinitionKey>,
          ] extends [never]
            ? unknown
            : Refusal<Pick<Own, Name>, Omit<Own, Name> & External, SchemaDefinitionKey>;
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
  /* In a template the compiler shows the sentence as it is, not the name of the type that made it. */
  Own extends ([Refusal<Own, DefinitionsOf<External>>] extends [never]
    ? unknown
    : `${Refusal<Own, DefinitionsOf<External>>}`),
  External = {},
>(this: CalledWith<Own>): JobTypes<Own, DefinitionsOf<External>>;

/**
 * Declares a slice of job types with schemas. Inputs, outputs and continuations are checked when they are written, and inputs again
 * before a handler reads them. The input is stored as the caller wrote it, and the handler gets what the schema makes of it; of an
 * output the result of the schema is stored. Any Standard Schema is accepted (zod, valibot, arktype...).
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
): JobTypes<TypesOfSchemas<Schemas>, ExternalOf<External>, "schemas">;

export function defineJobTypes(definitions?: Definitions): {
  readonly definitions: Readonly<Record<string, JobTypeDefinition>> | undefined;
} {
  if (definitions === undefined) return { definitions: undefined };
  if (typeof definitions !== "object" || definitions === null)
    throw wrongDefinition(`definitions must be an object with a definition for each name; got ${kindOf(definitions)}`);
  for (const [typeName, definition] of Object.entries(definitions)) checkDefinition(typeName, definition);
  return { definitions: { ...definitions } };
}
