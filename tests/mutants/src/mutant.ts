/** A protection taken out of the sources: with it gone, something has to fail. */
export interface Mutant {
  /** What is missing. */
  readonly name: string;
  /** From the root of the repository. */
  readonly file: string;
  /** Stands there exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** Whether what a mutant takes out is there, once. */
export function standsOnce(source: string, { find }: Mutant): boolean {
  return source.split(find).length === 2;
}
