/** Statements of one transaction. The last one returns a row for each thing that it has repaired. */
export type Steps = readonly { readonly text: string; readonly parameters: readonly (string | null)[] }[];
