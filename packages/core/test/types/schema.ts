import type { StandardSchema } from "../../src/types/standard-schema.ts";

/** A schema for types only: it takes every value as it is. */
export function schema<Input, Output = Input>(): StandardSchema<Input, Output> {
  return { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value: value as Output }) } };
}
