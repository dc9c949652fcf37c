/** A schema of any library that follows Standard Schema (https://standardschema.dev), version 1. */
export interface SchemaLike {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult | Promise<SchemaResult>;
  };
}

/** The result of a validation: the value that the schema returned, or its issues. */
export type SchemaResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** A job type at run time: complete with schemas, absent with types alone. */
export interface JobTypeDefinition {
  readonly entry?: boolean | undefined;
  readonly input?: SchemaLike | undefined;
  readonly output?: SchemaLike | undefined;
  /** A name, a structural target, which has no effect at run time, or a list of such. */
  readonly continueWith?: unknown;
  readonly blockers?: readonly unknown[] | undefined;
  /** A schema for the payload of each signal. */
  readonly signals?: Readonly<Record<string, SchemaLike>> | undefined;
  /** What its handler saves to go on from. */
  readonly checkpoint?: SchemaLike | undefined;
  /** What its handler reports while it runs. */
  readonly progress?: SchemaLike | undefined;
  /** The names of the entry types that may undo a step of this type: one, or a list. */
  readonly compensate?: unknown;
  /** The name of the entry type that runs if a chain of this type stops. */
  readonly whenStopped?: unknown;
  /** Whether workers of other programs run its jobs. */
  readonly elsewhere?: boolean | undefined;
}

/** The run-time side of `defineJobTypes`: one slice. */
export interface JobTypeSlice {
  /** Undefined: declared by types alone. */
  readonly definitions: Readonly<Record<string, JobTypeDefinition>> | undefined;
}
