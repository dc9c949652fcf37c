/** A rule as a query that counts its violations. */
export interface Rule {
  readonly name: string;
  readonly sql: string;
}

export const countOf = (from: string): string => `select count(*) from (${from}) found`;
