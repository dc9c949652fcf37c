import type { JobStart, StateAdapter } from "chainwright/adapter";

export function jobOf(id: string, change: Partial<JobStart> = {}): JobStart {
  const rest = { onBlockerFailure: "fail", deduplication: undefined, context: undefined } as const;
  return {
    id,
    typeName: "a",
    input: `"${"x".repeat(40)}"`,
    priority: 0,
    schedule: undefined,
    blockers: [],
    ...rest,
    ...change,
  };
}

/** The ids of a pair of chains that one call starts. */
export const pairOf = (id: string) => [`${id}-left`, `${id}-right`];

/** The query of all chains. */
export const allChains = {
  after: undefined,
  limit: 1_000_000,
  order: "ascending",
  typeNames: undefined,
  statuses: undefined,
  ids: undefined,
  createdFrom: undefined,
  createdBefore: undefined,
  errorText: undefined,
  tags: undefined,
  key: undefined,
} as const;

/** What was acknowledged and is not there, and pairs of which only a half is there. */
export async function lostOf(store: StateAdapter<object>, acknowledged: readonly string[]): Promise<readonly string[]> {
  const lost: string[] = [];
  for (const line of acknowledged) {
    const [id = "", done] = line.split(" ");
    const chains = await store.getChains(done === undefined ? pairOf(id) : [id], {});
    const isThere = chains.every(
      (chain) => chain !== undefined && (done === undefined || chain.status === "completed"),
    );
    if (!isThere) lost.push(line);
  }
  const ids = new Set((await store.listChains(allChains, {})).map(({ id }) => id));
  for (const id of ids) {
    const other = id.endsWith("left") ? id.replace("left", "right") : id.replace("right", "left");
    if (!ids.has(other)) lost.push(`${other} of a pair`);
  }
  return lost;
}
