/* The compiler names them if another value is returned. */
declare const madeByContinueWith: unique symbol;
declare const madeByComplete: unique symbol;

/** The result of `continueWith`: return it to continue the chain with that step. */
export interface Continuation {
  readonly [madeByContinueWith]: true;
}

/** The result of `complete`: return it, because the step has ended in a transaction. */
export interface Completed {
  readonly [madeByComplete]: true;
}
