import type { ErasedClient } from "chainwright/adapter";

/** Ends a transaction without an error of its own. */
class RolledBack<out T> extends Error {
  override readonly name = "RolledBack";
  readonly value: T;

  constructor(value: T) {
    super("rolled back");
    this.value = value;
  }
}

/** Runs a change in a transaction; a dry run rolls it back, so that it says what would happen and changes nothing. */
export async function inTransaction<T>(
  client: ErasedClient,
  { dryRun }: { readonly dryRun?: true | undefined },
  change: (tx: unknown) => Promise<T>,
): Promise<T> {
  if (dryRun !== true) return await client.transaction(change);
  const undone: RolledBack<T>[] = [];
  try {
    return await client.transaction(async (tx) => {
      const ending = new RolledBack(await change(tx));
      undone.push(ending);
      throw ending;
    });
  } catch (error) {
    const ending = undone.find((each) => each === error);
    if (ending === undefined) throw error;
    return ending.value;
  }
}
