/** On the first job of a chain, see `extras.ts`. */
export function extrasColumn(job: string): string {
  return `alter table ${job} add column extras integer`;
}
