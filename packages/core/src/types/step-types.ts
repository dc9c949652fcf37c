/** The context of the handler of one job type, and the output that it may return. */
export interface StepTypes<out Context, out Output> {
  readonly context: Context;
  readonly output: Output;
}

/** The steps of a slice, by name. */
export interface AnyStepTable {
  readonly [typeName: PropertyKey]: StepTypes<unknown, unknown>;
}
