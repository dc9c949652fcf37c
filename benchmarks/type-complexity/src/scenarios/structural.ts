import { jobType, type JobType } from "../job-type.ts";

/** So many types, each of which names a shape of its own to continue with, and all accept all shapes. */
export function structuralAll(count: number): readonly JobType[] {
  return Array.from({ length: count }, (_, index) =>
    jobType(`all-${index}`, {
      entry: true,
      input: { id: "string", n: "number" },
      output: { ok: "string" },
      shape: { id: "string", n: "number", [`k${index}`]: "number" },
      handler: "value",
    }),
  );
}

/** So many types, each of which names a shape of its own to continue with, and one type accepts it. */
export function structuralOne(count: number): readonly JobType[] {
  return Array.from({ length: count }, (_, index) =>
    jobType(`one-${index}`, {
      entry: index === 0,
      input: { id: "string", [`k${index}`]: "number" },
      output: { [`ok${index}`]: "string" },
      shape: index === count - 1 ? undefined : { id: "string", [`k${index + 1}`]: "number" },
      handler: "value",
    }),
  );
}
