/** A schema of any library that follows Standard Schema (https://standardschema.dev), version 1. */
export interface SchemaLike {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult | Promise<SchemaResult>;
  };
}

/** What validating gives: the value, as the schema made it, or what is wrong with it. */
export type SchemaResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What is known of a job type at run time: everything with schemas, nothing with types alone. */
export interface JobTypeDefinition {
  readonly entry?: boolean | undefined;
  readonly input?: SchemaLike | undefined;
  readonly output?: SchemaLike | undefined;
  /** Names, or structural targets, which say nothing at run time. */
  readonly continueWith?: readonly unknown[] | undefined;
  readonly blockers?: readonly unknown[] | undefined;
}

/** The run-time side of `defineJobTypes`: one slice. */
export interface JobTypeSlice {
  /** Undefined: declared by types alone. */
  readonly definitions: Readonly<Record<string, JobTypeDefinition>> | undefined;
}
