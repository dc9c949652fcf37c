import type { Mutant } from "../mutant.ts";

/** Keeps an attempt from doing anything once it is over. */
export const overMutants: readonly Mutant[] = [
  {
    name: "over: nothing is begun after the end",
    in: "core:whileAlive",
    find: "if (life.ended !== undefined) {\n    quieten(promise);",
    replace: "if (life.ended !== undefined && life.job.attempt < 0) {\n    quieten(promise);",
  },
  {
    name: "over: what is under way ends with the attempt",
    in: "core:finish",
    find: "reject(overError(life, how));",
    replace: "",
  },
  {
    name: "over: so does what runs in a transaction",
    in: "core:transact",
    find: "return whileAlive(life, () => run(tx));",
    replace: "return run(tx);",
  },
  {
    name: "over: a handler that has ended has ended its attempt",
    in: "core:finish",
    find: "endLife(life, how);",
    replace: "",
  },
  {
    name: "over: reschedule is refused",
    in: "core:createContext",
    find: "checkLife(life);\n      const reschedule = new Reschedule",
    replace: "const reschedule = new Reschedule",
  },
  {
    name: "over: continueWith is refused",
    in: "core:continuing",
    find: "checkLife(life);",
    replace: "",
  },
  {
    name: "over: middleware does not begin the handler",
    in: "core:callHandler",
    find: "checkLife(life);\n      if (extra",
    replace: "if (extra",
  },
  {
    name: "over: a complete that is not awaited and fails is the attempt's failure",
    in: "core:finish",
    find: 'if (phase === "completing") await completion;',
    replace: "",
  },
  {
    name: "over: a prepare that is not awaited is the attempt's failure",
    in: "core:finish",
    find: 'if (phase === "preparing") {',
    replace: 'if (phase === "preparing" && job.attempt < 0) {',
  },
  {
    name: "over: a staged prepare names its fence",
    in: "core:inTransaction",
    find: "transact(steps, run, fence)",
    replace: "transact(steps, run)",
  },
  {
    name: "over: a complete that is not awaited and fails ends no process",
    in: "core:createAttemptSteps",
    find: "quieten(completion);",
    replace: "",
  },
];
