declare const sentence: unique symbol;

/**
 * The type of a value that is always wrong; it contains a sentence with the reason. The sentence alone would be enough for the
 * compiler, but an editor would offer it as a completion.
 */
export interface Refused<in out Sentence extends string> {
  readonly [sentence]: Sentence;
}
