/** A job type of a generated program. */
export interface JobType {
  readonly name: string;
  readonly entry: boolean;
  /** Property names of the input, each a text or a number. */
  readonly input: Fields;
  /** Undefined: it always continues. */
  readonly output: Fields | undefined;
  readonly continueWith: readonly string[];
  /** When set, the type of a structural target is written instead of its names. */
  readonly structural: boolean;
  /** When set, it continues with this shape, and its handler returns an output. */
  readonly shape: Fields | undefined;
  readonly blockers: readonly string[];
  /** Whether it waits for one of three signals. */
  readonly signals: boolean;
  readonly handler: HandlerForm;
}

export type Fields = Readonly<Record<string, "string" | "number">>;

/** How a generated handler is written. */
export type HandlerForm = "atomic" | "staged" | "value" | "definition";

/** A slice of a generated program: one `defineJobTypes` and its processors. */
export interface Slice {
  readonly name: string;
  readonly types: readonly JobType[];
  /** The slice whose entry types it refers to. */
  readonly external: string | undefined;
}

/** A job type with what most of them have. */
export function jobType(name: string, given: Partial<Omit<JobType, "name">>): JobType {
  return {
    name,
    entry: false,
    input: { id: "string" },
    output: undefined,
    continueWith: [],
    structural: false,
    shape: undefined,
    blockers: [],
    signals: false,
    handler: "atomic",
    ...given,
  };
}

/** A program of one slice. */
export function oneSlice(types: readonly JobType[]): readonly Slice[] {
  return [{ name: "jobTypes", types, external: undefined }];
}
