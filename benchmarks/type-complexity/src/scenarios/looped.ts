import { jobType, type JobType } from "../job-type.ts";

/** A chain of so many steps, each of which may come again before the next. */
export function looped(steps: number): readonly JobType[] {
  const loops = Array.from({ length: steps - 1 }, (_, index) => index + 1);
  return [
    jobType("start", { entry: true, continueWith: ["step-1"] }),
    ...loops.map((step) =>
      jobType(`step-${step}`, {
        input: { id: "string", [`step${step}`]: "number" },
        continueWith: [`step-${step}`, step === steps - 1 ? "end" : `step-${step + 1}`],
        ...(step === steps - 1 ? { output: { result: "string" } } : {}),
      }),
    ),
    jobType("end", { input: { id: "string", reason: "string" }, output: { done: "string" } }),
  ];
}
