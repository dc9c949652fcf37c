import { ChevronDown, ChevronRight } from "lucide";
import { Icon } from "../components/icon.tsx";
import type { JsonRow } from "./rows.ts";

interface JsonLineProps {
  readonly id: string;
  readonly row: JsonRow;
  readonly top: number;
  readonly chosen: boolean;
  readonly open: boolean;
  readonly onChoose: () => void;
}

const indentPx = 16;
/** A line shows at most this many characters, because the browser lays out all of them. */
const shownLength = 400;

export function JsonLine({ id, row, top, chosen, open, onChoose }: JsonLineProps) {
  const branch = (row.size ?? 0) > 0;
  return (
    <div
      id={id}
      class={chosen ? "json-line json-chosen" : "json-line"}
      role="treeitem"
      aria-level={row.depth + 1}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-selected={chosen}
      aria-expanded={branch ? open : undefined}
      style={{ top: `${top}px`, paddingLeft: `${row.depth * indentPx + 4}px` }}
      onClick={onChoose}
    >
      <span class="json-arrow">{branch ? <Icon of={open ? ChevronDown : ChevronRight} /> : null}</span>
      {row.key === undefined ? null : <span class="json-key">{row.key}:</span>}
      <JsonValue row={row} />
    </div>
  );
}

function JsonValue({ row: { value, size } }: { readonly row: JsonRow }) {
  if (size !== undefined) {
    const [opening, closing] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
    return (
      <span class="json-size">
        {opening}
        {size === 0 ? "" : size}
        {closing}
      </span>
    );
  }
  const text = JSON.stringify(typeof value === "string" ? value.slice(0, shownLength) : value);
  return <span class={`json-value json-${value === null ? "null" : typeof value}`}>{text}</span>;
}
