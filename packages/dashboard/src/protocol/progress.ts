/** How far a running job says that it is, after `redact`. */
export interface ProgressView {
  /** From 0 to 1; undefined if its report has no number that means this. */
  readonly share: number | undefined;
  /** Its own words, such as `120 of 400`; empty if the report has none. */
  readonly text: string;
  readonly at: number;
}
