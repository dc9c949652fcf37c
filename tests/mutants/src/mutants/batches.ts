import type { Mutant } from "../mutant.ts";

/** Keep one job of a batch from breaking the others. */
export const batchMutants: readonly Mutant[] = [
  {
    name: "batches: each attempt on record halves the size",
    in: "core:sizeOf",
    find: "2 ** halvingsOf(job, batch)",
    replace: "2 ** 0",
  },
  {
    name: "batches: a job that is lost does not abort the others",
    in: "core:abort",
    find: "if (members.every(({ stopReason }) => stopReason !== undefined)) stopLife(life, reason);",
    replace: "stopLife(life, reason);",
  },
  {
    name: "batches: complete runs again without a job that was lost",
    in: "core:lose",
    find: "if (members.every(({ stopReason }) => stopReason !== undefined)) stopLife(life, error);",
    replace: "stopLife(life, error);",
  },
  {
    name: "batches: what complete wrote for a lost job rolls back",
    in: "core:settleIn",
    find: "throw new LostMembers(lost);",
    replace: "",
  },
  {
    name: "batches: jobs for which by returns different values do not share a call",
    in: "core:keyOf",
    find: "${typeof by} ${textOf(by, typeName)}",
    replace: "",
  },
  {
    name: "batches: a result of another length is refused",
    in: "core:checkEntries",
    find: "if (value.length !== size)",
    replace: "if (value.length < 0)",
  },
];
