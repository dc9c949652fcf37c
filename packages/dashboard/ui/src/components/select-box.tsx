import type { Selection } from "../data/selection.ts";

interface SelectAllProps {
  readonly selection: Selection;
  readonly ids: readonly string[];
}

export function SelectAll({ selection, ids }: SelectAllProps) {
  const chosen = ids.filter((id) => selection.ids.value.has(id)).length;
  const all = ids.length > 0 && chosen === ids.length;
  return (
    <input
      type="checkbox"
      aria-label="Select all on this page"
      checked={all}
      indeterminate={chosen > 0 && !all}
      onChange={() => selection.set(all ? [] : ids)}
    />
  );
}

interface SelectOneProps {
  readonly selection: Selection;
  readonly id: string;
  readonly name: string;
}

export function SelectOne({ selection, id, name }: SelectOneProps) {
  return (
    <input
      type="checkbox"
      aria-label={`Select ${name} ${id}`}
      checked={selection.ids.value.has(id)}
      onChange={() => selection.toggle(id)}
    />
  );
}
