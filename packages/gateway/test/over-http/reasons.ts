/** What HTTP does not carry, or a worker elsewhere does not have. */
export const reasons = {
  transaction: "a transaction of the caller",
  notJson: "a value or an option that is not JSON",
  manyStarts: "more than 100 starts at once",
  otherOptions: "options that only a client has",
  middleware: "middleware is around handlers in the process",
  batch: "a handler of many jobs is in the process",
  timeout: "timeoutMs is of handlers in the process",
  when: "retry.when takes what was thrown in the process",
  declaredHere: "the job types are declared with handlers here",
  nothing: "it asks nothing of a gateway",
} as const;
