import { jobType, type JobType, type Slice } from "../job-type.ts";

/**
 * An application of real size: slices of 24 types, each with a line, a branch, a loop, a merge, blockers of its own and of the
 * slice before it, one-step chains, and handlers of every form; a structural target in each tenth.
 */
export function application(slices: number): readonly Slice[] {
  return Array.from({ length: slices }, (_, index) => ({
    name: `feature${index}`,
    types: feature(`f${index}`, {
      foreign: index === 0 ? undefined : `f${index - 1}.lookup`,
      structural: index % 10 === 0,
    }),
    external: index === 0 ? undefined : `feature${index - 1}`,
  }));
}

interface Peculiarities {
  /** An entry type of another slice, to be a blocker. */
  readonly foreign: string | undefined;
  /** Whether one step names the shape it continues with instead of a type. */
  readonly structural: boolean;
}

function feature(prefix: string, { foreign, structural }: Peculiarities): readonly JobType[] {
  const at = (name: string): string => `${prefix}.${name}`;
  return [
    jobType(at("request"), { entry: true, input: { id: "string", note: "string" }, continueWith: [at("check")] }),
    jobType(at("check"), {
      input: { id: "string", attempt: "number" },
      continueWith: [at("check"), at("approve"), at("reject")],
      handler: "value",
    }),
    jobType(at("approve"), {
      input: { id: "string", by: "string" },
      blockers: foreign === undefined ? [at("lookup")] : [at("lookup"), foreign],
      continueWith: [at("line-1")],
    }),
    jobType(at("reject"), {
      input: { id: "string", reason: "string" },
      output: { rejected: "string" },
      handler: "value",
    }),
    ...Array.from({ length: 10 }, (_, step) =>
      jobType(at(`line-${step + 1}`), {
        input: { id: "string", [`line${step}`]: "number" },
        continueWith: [step === 9 ? at("settle") : at(`line-${step + 2}`)],
        handler: step % 2 === 0 ? "staged" : "definition",
      }),
    ),
    jobType(at("settle"), { input: { id: "string", cents: "number" }, continueWith: [at("archive")], structural }),
    jobType(at("archive"), {
      input: { id: "string", path: "string" },
      output: { archived: "string" },
      handler: "value",
    }),
    jobType(at("lookup"), { entry: true, input: { key: "string" }, output: { found: "number" }, handler: "value" }),
    ...Array.from({ length: 8 }, (_, index) =>
      jobType(at(`task-${index}`), {
        entry: true,
        input: { id: "string", [`task${index}`]: "string" },
        output: { [`done${index}`]: "number" },
        handler: index % 2 === 0 ? "value" : "definition",
      }),
    ),
  ];
}
