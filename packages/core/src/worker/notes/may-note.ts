import { invalid } from "../../checks/check-options.ts";

interface Phase {
  readonly phase: "begun" | "preparing" | "prepared" | "completing" | "settled" | "failed";
  /** The transaction of an atomic `prepare`. */
  readonly open: unknown;
  readonly job: { readonly typeName: string };
}

/** Refuses a call that writes by itself, or in a transaction of its own, where another transaction of the attempt is open. */
export function assertMayNote({ phase, open, job }: Phase, what: string): void {
  if (phase === "completing" || phase === "settled")
    throw invalid(`${what} must not be called in or after complete of "${job.typeName}": the step ends here.`);
  if (phase === "preparing" || open !== undefined)
    throw invalid(
      `${what} must not be called in prepare of "${job.typeName}", nor after prepare({ mode: "atomic" }), whose transaction ` +
        'is open; call it before, or use the mode "staged".',
    );
}
