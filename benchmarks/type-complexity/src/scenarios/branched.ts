import { jobType, type JobType } from "../job-type.ts";

/** A tree of steps: each continues with one of `width`, `depth` times. */
export function branched(width: number, depth: number, name = "root"): readonly JobType[] {
  const branches = Array.from({ length: depth === 0 ? 0 : width }, (_, index) => `${name}-${index}`);
  const step = jobType(name, {
    entry: name === "root",
    input: { id: "string", [`value${name.length}`]: "number" },
    ...(depth === 0 ? { output: { [`done${name.length}`]: "string" } } : { continueWith: branches }),
  });
  return [step, ...branches.flatMap((branch) => branched(width, depth - 1, branch))];
}
