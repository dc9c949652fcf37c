import type { StoreFault } from "../ports/doctor.ts";
import { tagLabel } from "./labels.ts";
import { removeSorted } from "./sorted-rows.ts";
import type { Store } from "./store.ts";

/** The tags that lead to chains which do not have them. */
export function staleTags(store: Store): StoreFault[] {
  return strays(store).map(({ tag, row }) => ({
    kind: "stale-tag",
    id: JSON.stringify(tag),
    chainId: row.id,
    typeName: store.jobs.get(row.id)?.lane.type.name,
  }));
}

/** Reports whether there was such a tag. */
export function dropStaleTag(store: Store, { id, chainId }: StoreFault): boolean {
  const stray = strays(store).find(({ tag, row }) => JSON.stringify(tag) === id && row.id === chainId);
  if (stray === undefined) return false;
  removeSorted(stray.rows, stray.row);
  if (stray.rows.chunks.length === 0) store.labels.delete(stray.label);
  return true;
}

function strays({ labels, jobs }: Store) {
  return [...labels].flatMap(([label, rows]) =>
    rows.chunks.flat().flatMap((row) =>
      Object.entries(row.shared?.tags ?? {})
        .filter(([name, value]) => tagLabel(name, value) === label)
        .filter(([name, value]) => jobs.get(row.id)?.shared?.tags?.[name] !== value)
        .map((tag) => ({ label, rows, tag, row })),
    ),
  );
}
