import type { Tags } from "chainwright";
import type { Store } from "../store.ts";
import type { Filter } from "./filter.ts";

type Tag = readonly [name: string, value: string];

/** Beyond this many chains it does not matter how many have a tag. */
const many = 1_000;

/** What a list of chains `f` reads from, and the column of their ids. */
interface Source {
  readonly from: string;
  readonly id: string;
}

/**
 * Adds a condition for each tag. The chains are then read along the tag `g` of the fewest, in the order of their ids. `offset 0` keeps
 * the planner from another order of reading, which it may prefer where statistics are missing.
 */
export async function fromTags<Tx>(
  store: Store<Tx>,
  { filter, tags, tx }: { readonly filter: Filter; readonly tags: Tags; readonly tx: Tx | undefined },
): Promise<Source> {
  const s = store.schema.quoted;
  const [first, ...others] = await rarestFirst(store, Object.entries(tags), tx);
  if (first === undefined) return { from: `${s}.job f`, id: "f.id" };
  filter.conditions.push(`g.name = ${add(filter, first[0])} and g.value = ${add(filter, first[1])}`);
  for (const [name, value] of others) {
    filter.conditions.push(
      `(select true from ${s}.tag x where x.name = ${add(filter, name)} and x.value = ${add(filter, value)} and x.chain_id = g.chain_id)`,
    );
  }
  const from = `${s}.tag g cross join lateral (select j.* from ${s}.job j where j.id = g.chain_id offset 0) f`;
  return { from, id: "g.chain_id" };
}

function add({ parameters }: Filter, text: string): string {
  return `$${parameters.push(text)}::text`;
}

async function rarestFirst<Tx>(
  { schema: { quoted: s }, run }: Store<Tx>,
  tags: readonly Tag[],
  tx: Tx | undefined,
): Promise<readonly Tag[]> {
  if (tags.length < 2) return tags;
  const counts = tags.map(
    (_, at) => `(select count(*) from (
  select from ${s}.tag g where g.name = $${2 * at + 1}::text and g.value = $${2 * at + 2}::text limit ${many}) g)`,
  );
  const [row = []] = await run(tx, { text: `select ${counts.join(", ")}`, parameters: tags.flat(), prepare: false });
  const counted = tags.map((tag, at) => ({ tag, count: Number(row[at]) }));
  return counted.toSorted((left, right) => left.count - right.count).map(({ tag }) => tag);
}
