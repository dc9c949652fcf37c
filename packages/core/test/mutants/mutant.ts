/** A protection taken out of the sources: with it gone, something has to fail. */
export interface Mutant {
  /** What is missing. */
  readonly name: string;
  /** Below `packages/core/src`. */
  readonly file: string;
  /** Stands there exactly once. */
  readonly find: string;
  readonly replace: string;
}
