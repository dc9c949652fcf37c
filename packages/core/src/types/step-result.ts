declare const step: unique symbol;

/** The result of `continueWith`: return it to continue the chain with that step. */
export interface Continuation {
  readonly [step]: "continuation";
}

/** The result of `complete`: return it, because the step has ended in a transaction. */
export interface Completed {
  readonly [step]: "completed";
}
