import { jobType, type JobType } from "../job-type.ts";

/** A chain of so many steps, one after the other. */
export function linear(steps: number, prefix = ""): readonly JobType[] {
  return Array.from({ length: steps }, (_, index) =>
    jobType(`${prefix}step-${index}`, {
      entry: index === 0,
      input: { id: "string", [`value${index}`]: "number" },
      ...(index === steps - 1 ? { output: { result: "string" } } : { continueWith: [`${prefix}step-${index + 1}`] }),
    }),
  );
}
