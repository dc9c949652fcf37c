import type { Mutant } from "../mutant.ts";

/** Keep what handlers note from being lost, replaced, doubled, or written by an attempt that has lost its job. */
export const noteMutants: readonly Mutant[] = [
  {
    name: "notes: the first memo of a name stays",
    in: "core:addMemo",
    find: "if (found !== undefined) return found.value;",
    replace: "",
  },
  {
    name: "notes: an attempt notes nothing after the end of its lease",
    in: "core:noteOne",
    find: '|| rows.jobStatusOf(job, now) !== "running"',
    replace: "",
  },
  {
    name: "notes: a claim brings what was noted",
    in: "core:notesForClaim",
    find: "if (found === undefined) return nothingNoted;",
    replace: "if (found !== undefined || found === undefined) return nothingNoted;",
  },
  {
    name: "notes: the notes of jobs that have not completed stay",
    in: "core:forgetNotes",
    find: '|| row.status !== "completed"',
    replace: "",
  },
  {
    name: "notes: a line is written once",
    in: "core:addLines",
    find: "lines.filter(({ seq }) => !known.has(seq))",
    replace: "lines",
  },
  {
    name: "notes: the reports of a lost outcome are not written, and those of a settled one are",
    in: "core:settleOne",
    find: 'if (reports !== undefined && reply.status === "settled")',
    replace: "if (reports === undefined)",
  },
  {
    name: "notes: what is left of the reports goes with the outcome",
    in: "core:createHandIn",
    find: "reports === undefined ? outcome : { ...outcome, reports }",
    replace: "outcome",
  },
  {
    name: "notes: a stopping worker ends a handler at its checkpoint",
    in: "core:saveCheckpoint",
    find: "if (!noting.isStopping()) return;",
    replace: "if (noting.isStopping() || !noting.isStopping()) return;",
  },
  {
    name: "notes: what a handler returns after it has ended at a checkpoint does not count",
    in: "core:createAttempt",
    find: 'if (life.stopReason?.code === "worker-stopping") throw life.stopReason;',
    replace: "",
  },
  {
    name: "notes: a name is used once in an attempt",
    in: "core:createOnce",
    find: "if (used.has(name)) throw duplicate(attempt, name);",
    replace: "",
  },
  {
    name: "notes: the step ends with complete",
    in: "core:assertMayNote",
    find: 'phase === "completing" || phase === "settled"',
    replace: "false",
  },
  {
    name: "notes: while the store is away an awaited note is tried again",
    in: "core:createDelivery",
    find: "if (storeTroubleOf(state, error) === undefined) throw error;",
    replace: "throw error;",
  },
  {
    name: "notes: reports go out four times a second at most",
    in: "core:reportMs",
    find: "250",
    replace: "50",
  },
  {
    name: "notes: the outcome carries what a call is about to write",
    in: "core:createReportBuffer",
    find: "if (inCall === undefined) return",
    replace: "if (inCall === undefined || inCall !== undefined) return",
  },
  {
    name: "notes: what could not be written while the lease had run out is kept",
    in: "core:createReporting",
    find: "else source.putBack(item);",
    replace: "else source.written();",
  },
  {
    name: "notes: once writes its memo in its transaction",
    in: "core:runInTransaction",
    find: "engine.callOptions(tx)",
    replace: "engine.callOptions()",
  },
];
