declare const step: unique symbol;

/** What `continueWith` answers: return it to go on with that step. */
export interface Continuation {
  readonly [step]: "continuation";
}

/** What `complete` answers: return it to say that the step was ended in a transaction. */
export interface Completed {
  readonly [step]: "completed";
}
