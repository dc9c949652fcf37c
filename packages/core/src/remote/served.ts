/** What a remote says in its heartbeats that it serves: the types that are declared, and what was asked for since its start. */
export interface Served {
  readonly typeNames: readonly string[];
  /** Those of the claims; before the first one, jobs without a pool. */
  readonly pools: readonly (string | null)[];
  /** Notes a claim. Returns whether there is something new to say. */
  note(typeNames: readonly string[], pools: readonly (string | null)[]): boolean;
}

export function createServed(declared: readonly string[]): Served {
  const types = new Set(declared);
  let pools: ReadonlySet<string | null> | undefined;
  const said = (): string => JSON.stringify([types.size, [...(pools ?? [null])]]);
  return {
    get typeNames() {
      return [...types];
    },
    get pools() {
      return [...(pools ?? [null])];
    },
    note(typeNames, asked) {
      const before = said();
      for (const typeName of typeNames) types.add(typeName);
      if (typeNames.length > 0) pools = new Set([...(pools ?? []), ...asked]);
      return said() !== before;
    },
  };
}
