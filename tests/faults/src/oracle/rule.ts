/** What may never be found, as a query that counts it. */
export interface Rule {
  readonly name: string;
  readonly sql: string;
}

export const countOf = (from: string): string => `select count(*) from (${from}) found`;
