/** One line of the tree. */
export interface JsonRow {
  /** Unique: the path to this line as a JSON pointer. */
  readonly path: string;
  readonly depth: number;
  readonly key: string | undefined;
  readonly value: unknown;
  /** The number of entries of an object or array; undefined for other values. */
  readonly size: number | undefined;
  readonly position: number;
  readonly siblings: number;
}

/** Returns the visible lines for a set of open branches. Closed branches cost nothing. */
export function visibleRows(root: unknown, open: ReadonlySet<string>): readonly JsonRow[] {
  const rows: JsonRow[] = [];
  const pending: JsonRow[] = [rowOf(root)];
  for (let row = pending.pop(); row !== undefined; row = pending.pop()) {
    rows.push(row);
    if (open.has(row.path)) pending.push(...[...childrenOf(row)].reverse());
  }
  return rows;
}

/** Opens branches from the outside in, as many as fit into `lines` lines. */
export function openUpTo(root: unknown, lines: number): ReadonlySet<string> {
  const open = new Set<string>();
  let queue: readonly JsonRow[] = [rowOf(root)];
  let count = 1;
  while (queue.length > 0) {
    const next: JsonRow[] = [];
    for (const row of queue) {
      const size = row.size ?? 0;
      if (size === 0 || count + size > lines) continue;
      open.add(row.path);
      count += size;
      for (const child of childrenOf(row)) next.push(child);
    }
    queue = next;
  }
  return open;
}

function rowOf(root: unknown): JsonRow {
  return { path: "", depth: 0, key: undefined, value: root, size: sizeOf(root), position: 1, siblings: 1 };
}

function childrenOf({ path, depth, value, size }: JsonRow): readonly JsonRow[] {
  if (size === undefined || size === 0) return [];
  return Object.entries(value as object).map(([key, child], index) => ({
    path: `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`,
    depth: depth + 1,
    key,
    value: child as unknown,
    size: sizeOf(child),
    position: index + 1,
    siblings: size,
  }));
}

function sizeOf(value: unknown): number | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}
