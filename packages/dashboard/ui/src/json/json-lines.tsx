import { useSignal } from "@preact/signals";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { JsonLine } from "./json-line.tsx";
import { pressKey } from "./tree-keys.ts";
import type { JsonTree } from "./tree.ts";

const rowHeight = 22;
const overscan = 10;

/** The lines of a tree. Only visible lines are in the page, so a megabyte scrolls like a kilobyte. */
export function JsonLines({ tree, label }: { readonly tree: JsonTree; readonly label: string }) {
  const id = useId();
  const chosen = tree.chosen.value;
  const rows = tree.rows.value;
  const { scroller, first, last, onScroll } = useScrollWindow(chosen);
  return (
    <div
      ref={scroller}
      class="json-lines"
      role="tree"
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={`${id}-${chosen}`}
      onKeyDown={(event) => {
        if (pressKey(tree, event.key)) event.preventDefault();
      }}
      onScroll={onScroll}
    >
      <div role="presentation" class="json-space" style={{ height: `${rows.length * rowHeight}px` }}>
        {rows.slice(first, last).map((row, place) => (
          <JsonLine
            key={row.path}
            id={`${id}-${first + place}`}
            row={row}
            top={(first + place) * rowHeight}
            chosen={chosen === first + place}
            open={tree.open.value.has(row.path)}
            onChoose={() => {
              tree.choose(first + place);
              tree.toggle(row);
            }}
          />
        ))}
      </div>
    </div>
  );
}

/** Keeps the chosen line in view, and computes which lines are to be rendered at the current scroll position. */
function useScrollWindow(chosen: number) {
  const scroller = useRef<HTMLDivElement>(null);
  const scrollTop = useSignal(0);
  const height = useSignal(440);
  // After the lines have been rendered: before, the position to scroll to does not exist.
  useLayoutEffect(() => {
    const top = chosen * rowHeight;
    const box = scroller.current;
    if (box === null) return;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + rowHeight > box.scrollTop + box.clientHeight) box.scrollTop = top + rowHeight - box.clientHeight;
  }, [chosen]);
  return {
    scroller,
    first: Math.max(0, Math.floor(scrollTop.value / rowHeight) - overscan),
    last: Math.ceil((scrollTop.value + height.value) / rowHeight) + overscan,
    onScroll({ currentTarget }: { readonly currentTarget: HTMLDivElement }) {
      scrollTop.value = currentTarget.scrollTop;
      height.value = currentTarget.clientHeight;
    },
  };
}
