import { useSignal, type ReadonlySignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** The selected rows of a list. */
export interface Selection {
  readonly ids: ReadonlySignal<ReadonlySet<string>>;
  readonly toggle: (id: string) => void;
  readonly set: (ids: readonly string[]) => void;
}

/** Returns a selection that is cleared when another list is shown. */
export function useSelection(list: string): Selection {
  const ids = useSignal<ReadonlySet<string>>(new Set());
  useEffect(() => {
    ids.value = new Set();
  }, [list]);
  return {
    ids,
    toggle(id) {
      const next = new Set(ids.value);
      if (!next.delete(id)) next.add(id);
      ids.value = next;
    },
    set(all) {
      ids.value = new Set(all);
    },
  };
}
