import { useComputed, useSignal, type ReadonlySignal } from "@preact/signals";
import { openUpTo, visibleRows, type JsonRow } from "./rows.ts";

/** A payload as a tree with open and closed branches and one chosen line. */
export interface JsonTree {
  /** The visible lines. */
  readonly rows: ReadonlySignal<readonly JsonRow[]>;
  /** The paths of the open branches. */
  readonly open: ReadonlySignal<ReadonlySet<string>>;
  /** The index of the chosen line. */
  readonly chosen: ReadonlySignal<number>;
  readonly choose: (index: number) => void;
  /** Opens or closes a branch; does nothing for other lines. */
  readonly toggle: (row: JsonRow) => void;
  readonly expand: () => void;
  readonly collapse: () => void;
}

const linesAtFirst = 40;
const linesAtMost = 20_000;

/** Returns the tree of a value, opened as far as it fits into a few lines. */
export function useJsonTree(value: unknown): JsonTree {
  const open = useSignal(openUpTo(value, linesAtFirst));
  const chosen = useSignal(0);
  const rows = useComputed(() => visibleRows(value, open.value));
  const choose = (index: number) => {
    chosen.value = Math.min(Math.max(index, 0), rows.value.length - 1);
  };
  return {
    rows,
    open,
    chosen,
    choose,
    toggle(row) {
      if ((row.size ?? 0) === 0) return;
      const next = new Set(open.value);
      if (!next.delete(row.path)) next.add(row.path);
      open.value = next;
    },
    expand() {
      open.value = openUpTo(value, linesAtMost);
    },
    collapse() {
      open.value = new Set();
      choose(0);
    },
  };
}
