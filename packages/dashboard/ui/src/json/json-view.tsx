import { useComputed, useSignal } from "@preact/signals";
import { ChevronsDownUp, ChevronsUpDown } from "lucide";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { CopyButton } from "../components/copy-button.tsx";
import { formatBytes } from "../format/number.ts";
import { JsonLine } from "./json-line.tsx";
import { openUpTo, visibleRows, type JsonRow } from "./rows.ts";

interface JsonViewProps {
  readonly value: unknown;
  readonly bytes: number;
  readonly label: string;
}

const rowHeight = 22;
const linesAtFirst = 40;
const linesAtMost = 20_000;
const overscan = 10;
/** Longer texts are cut in their line and shown completely below the tree when selected. */
const longText = 90;

/** A payload as a tree. Only visible lines are in the page, so a megabyte scrolls like a kilobyte. */
export function JsonView({ value, bytes, label }: JsonViewProps) {
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const open = useSignal(openUpTo(value, linesAtFirst));
  const chosen = useSignal(0);
  const scrollTop = useSignal(0);
  const height = useSignal(440);
  const rows = useComputed(() => visibleRows(value, open.value));

  const first = Math.max(0, Math.floor(scrollTop.value / rowHeight) - overscan);
  const last = Math.ceil((scrollTop.value + height.value) / rowHeight) + overscan;

  const choose = (index: number) => {
    chosen.value = Math.min(Math.max(index, 0), rows.value.length - 1);
  };
  // After the lines have been rendered: before, the position to scroll to does not exist.
  useLayoutEffect(() => {
    const top = chosen.value * rowHeight;
    const box = scroller.current;
    if (box === null) return;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + rowHeight > box.scrollTop + box.clientHeight) box.scrollTop = top + rowHeight - box.clientHeight;
  }, [chosen.value]);
  const toggle = (row: JsonRow) => {
    if ((row.size ?? 0) === 0) return;
    const next = new Set(open.value);
    if (!next.delete(row.path)) next.add(row.path);
    open.value = next;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const move = keyMove(event.key, rows.value, chosen.value, open.value);
    if (move === undefined) return;
    event.preventDefault();
    if (move === "toggle") {
      const row = rows.value[chosen.value];
      if (row !== undefined) toggle(row);
    } else choose(move);
  };

  return (
    <div class="json">
      <div class="json-tools">
        <span class="muted">{formatBytes(bytes)}</span>
        <Button
          kind="quiet"
          small
          icon={ChevronsUpDown}
          label={`Expand ${label}`}
          onClick={() => {
            open.value = openUpTo(value, linesAtMost);
          }}
        />
        <Button
          kind="quiet"
          small
          icon={ChevronsDownUp}
          label={`Collapse ${label}`}
          onClick={() => {
            open.value = new Set();
            choose(0);
          }}
        />
        <CopyButton label={`Copy ${label}`} text={() => JSON.stringify(value, undefined, 2)} />
      </div>
      <div
        ref={scroller}
        class="json-lines"
        role="tree"
        aria-label={label}
        tabIndex={0}
        aria-activedescendant={`${id}-${chosen.value}`}
        onKeyDown={onKeyDown}
        onScroll={(event) => {
          scrollTop.value = event.currentTarget.scrollTop;
          height.value = event.currentTarget.clientHeight;
        }}
      >
        <div role="presentation" class="json-space" style={{ height: `${rows.value.length * rowHeight}px` }}>
          {rows.value.slice(first, last).map((row, place) => (
            <JsonLine
              key={row.path}
              id={`${id}-${first + place}`}
              row={row}
              top={(first + place) * rowHeight}
              chosen={chosen.value === first + place}
              open={open.value.has(row.path)}
              onChoose={() => {
                choose(first + place);
                toggle(row);
              }}
            />
          ))}
        </div>
      </div>
      <LongText row={rows.value[chosen.value]} />
    </div>
  );
}

/** The complete text of a line that was cut. */
function LongText({ row }: { readonly row: JsonRow | undefined }) {
  const value = row?.value;
  if (typeof value !== "string" || (value.length <= longText && !value.includes("\n"))) return null;
  return (
    <div class="json-text">
      <div class="json-tools">
        <span class="muted">{row?.key ?? "text"}</span>
        <CopyButton label="Copy text" text={value} />
      </div>
      <pre tabIndex={0}>{value.length > 100_000 ? `${value.slice(0, 100_000)}\u2026` : value}</pre>
    </div>
  );
}

/** The effect of a key in the tree: the index of another line, or opening or closing this line. */
function keyMove(
  key: string,
  rows: readonly JsonRow[],
  at: number,
  open: ReadonlySet<string>,
): number | "toggle" | undefined {
  const row = rows[at];
  if (row === undefined) return undefined;
  const isOpen = open.has(row.path);
  if (key === "ArrowDown") return at + 1;
  if (key === "ArrowUp") return at - 1;
  if (key === "PageDown") return at + 18;
  if (key === "PageUp") return at - 18;
  if (key === "Home") return 0;
  if (key === "End") return rows.length - 1;
  if (key === "Enter" || key === " ") return "toggle";
  if (key === "ArrowRight") return isOpen ? at + 1 : "toggle";
  if (key !== "ArrowLeft") return undefined;
  if (isOpen) return "toggle";
  return rows.findLastIndex((each, index) => index < at && each.depth < row.depth);
}
