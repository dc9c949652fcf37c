/**
 * The chores of maintenance: `retention` deletes chains that ended long ago, `windows` frees deduplication
 * keys whose window has passed and forgets old ticks and what completed jobs have noted, `workers` removes workers without a recent heartbeat, pauses whose time has
 * passed and what limits leave behind, `tally` adds up partial counts.
 */
export type Chore = "retention" | "windows" | "workers" | "tally";

export const allChores: readonly Chore[] = ["retention", "windows", "workers", "tally"];

interface Pass {
  readonly removed: number;
  readonly more: boolean;
  readonly repaired?: number | undefined;
}

/**
 * For state adapters: runs a pass of the requested chore, or of all chores one after the other. A chore that fails
 * does not stop the others; its error is thrown after them.
 *
 * @example
 * function gentle<Tx>(adapter: StateAdapter<Tx>): StateAdapter<Tx> {
 *   return {
 *     ...adapter,
 *     maintain: (request, options) =>
 *       eachChore(request, (chore) => adapter.maintain({ ...request, chore, limit: 10 }, options)),
 *   };
 * }
 */
export async function eachChore(
  { chore }: { readonly chore?: Chore | undefined },
  pass: (chore: Chore) => Promise<Pass>,
): Promise<Pass> {
  if (chore !== undefined) return pass(chore);
  let [removed, more, repaired] = [0, false, 0];
  const errors: unknown[] = [];
  for (const each of allChores) {
    try {
      const made = await pass(each);
      removed += made.removed;
      more ||= made.more;
      repaired += made.repaired ?? 0;
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
  return repaired === 0 ? { removed, more } : { removed, more, repaired };
}
