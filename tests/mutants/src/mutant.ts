/** A protection that is taken out of the sources: without it, a test has to fail. */
export interface Mutant {
  /** The protection that is missing. */
  readonly name: string;
  /**
   * Where the text is: a folder of `packages` and a declaration at the top level of one of its files, as in
   * `core:runExchangeLoop`. Files can be moved and renamed freely.
   */
  readonly in: string;
  /** Occurs exactly once in the declarations of that name. Line breaks and spaces do not matter. */
  readonly find: string;
  readonly replace: string;
}
