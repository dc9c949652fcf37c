declare const sentence: unique symbol;

/**
 * Stands where nothing can be right, and says why. A plain sentence would do for the compiler, but an editor would offer it as
 * a completion.
 */
export interface Refused<in out Sentence extends string> {
  readonly [sentence]: Sentence;
}
