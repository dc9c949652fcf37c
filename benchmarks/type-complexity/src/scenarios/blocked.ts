import { jobType, type JobType } from "../job-type.ts";

/** A chain of so many steps, each waiting for up to three chains of types of its own. */
export function blocked(steps: number): readonly JobType[] {
  const entry = jobType("start", { entry: true, continueWith: ["step-1"] });
  return [entry, ...Array.from({ length: steps }, (_, index) => blockedStep(index + 1, steps)).flat()];
}

function blockedStep(step: number, steps: number): readonly JobType[] {
  const blockers = Array.from({ length: Math.min(step, 3) }, (_, index) => `part-${step}-${index + 1}`);
  return [
    ...blockers.map((name, index) =>
      jobType(name, { entry: true, input: { part: "string" }, output: { [`part${step}x${index + 1}`]: "string" } }),
    ),
    jobType(`step-${step}`, {
      input: { id: "string", [`step${step}`]: "number" },
      blockers,
      ...(step === steps ? { output: { result: "string" } } : { continueWith: [`step-${step + 1}`] }),
    }),
  ];
}
