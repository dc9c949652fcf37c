import type { ManifestType } from "./manifest.ts";

/** The types that chains may reach from these, each with the type that leads to it. */
export function reachableFrom(
  from: Iterable<string>,
  types: ReadonlyMap<string, ManifestType>,
): ReadonlyMap<string, string> {
  const start = new Set(from);
  const reached = new Map<string, string>();
  const queue = [...start];
  for (let typeName = queue.shift(); typeName !== undefined; typeName = queue.shift()) {
    for (const next of nextOf(typeName, types)) {
      if (start.has(next) || reached.has(next)) continue;
      reached.set(next, typeName);
      queue.push(next);
    }
  }
  return reached;
}

/** What a job of a type starts: the next step of its chain, with the chains that block that step. */
function nextOf(typeName: string, types: ReadonlyMap<string, ManifestType>): readonly string[] {
  const next = types.get(typeName)?.continueWith ?? [];
  return next.flatMap((name) => [name, ...(types.get(name)?.blockers ?? [])]);
}
