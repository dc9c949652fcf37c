/**
 * A schema of any library that follows Standard Schema (https://standardschema.dev), version 1, with the types it
 * carries: `Input` is what it takes, `Output` what it makes of that.
 */
export interface StandardSchema<out Input = unknown, out Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaVerdict<Output> | Promise<SchemaVerdict<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** The result of a validation: the value that the schema returned, or its issues. */
export type SchemaVerdict<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: SchemaPath | undefined }[] };

type SchemaPath = readonly (PropertyKey | { readonly key: PropertyKey })[];

/** The type of a value before its schema has parsed it. */
export type SchemaInput<Schema> = TypesOf<Schema>["input"];

/** The type of a schema's result. */
export type SchemaOutput<Schema> = TypesOf<Schema>["output"];

type TypesOf<Schema> = Schema extends StandardSchema
  ? NonNullable<Schema["~standard"]["types"]>
  : { input: unknown; output: unknown };
