import type { Mutant } from "../mutant.ts";

const worker = "packages/core/src/worker";

/** What keeps an attempt from doing anything once it is over. */
export const overMutants: readonly Mutant[] = [
  {
    name: "over: nothing is begun after the end",
    file: `${worker}/attempt-life.ts`,
    find: "  if (life.ended !== undefined) {\n    quieten(promise);",
    replace: "  if (life.ended !== undefined && life.job.attempt < 0) {\n    quieten(promise);",
  },
  {
    name: "over: what is under way ends with the attempt",
    file: `${worker}/attempt-life.ts`,
    find: "    reject(overError(life, how));\n",
    replace: "",
  },
  {
    name: "over: so does what runs in a transaction",
    file: `${worker}/attempt-steps.ts`,
    find: "return whileAlive(life, () => run(tx));",
    replace: "return run(tx);",
  },
  {
    name: "over: a handler that has ended has ended its attempt",
    file: `${worker}/attempt-steps.ts`,
    find: "  endLife(life, how);\n",
    replace: "",
  },
  {
    name: "over: reschedule is refused",
    file: `${worker}/attempt.ts`,
    find: "      checkLife(life);\n      throw new Reschedule",
    replace: "      throw new Reschedule",
  },
  {
    name: "over: continueWith is refused",
    file: `${worker}/handler-result.ts`,
    find: "    checkLife(life);\n",
    replace: "",
  },
  {
    name: "over: middleware does not begin the handler",
    file: `${worker}/attempt.ts`,
    find: "      checkLife(life);\n      if (extra",
    replace: "      if (extra",
  },
  {
    name: "over: a complete that is not awaited and fails is the attempt's failure",
    file: `${worker}/attempt-steps.ts`,
    find: '  if (phase === "completing") await completion;\n',
    replace: "",
  },
  {
    name: "over: a prepare that is not awaited is the attempt's failure",
    file: `${worker}/attempt-steps.ts`,
    find: 'if (phase === "preparing") {',
    replace: 'if (phase === "preparing" && job.attempt < 0) {',
  },
  {
    name: "over: a staged prepare names its fence",
    file: `${worker}/attempt-steps.ts`,
    find: "transact(steps, run, fence)",
    replace: "transact(steps, run)",
  },
  {
    name: "over: a complete that is not awaited and fails ends no process",
    file: `${worker}/attempt-steps.ts`,
    find: "      quieten(completion);\n",
    replace: "",
  },
];
