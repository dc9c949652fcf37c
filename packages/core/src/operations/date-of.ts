/** A moment in milliseconds since 1970, as callers read it. */
export function dateOf(moment: number | undefined): Date | undefined {
  return moment === undefined ? undefined : new Date(moment);
}
