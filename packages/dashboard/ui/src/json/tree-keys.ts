import type { JsonTree } from "./tree.ts";

/** Applies a key to the tree; reports whether the key has an effect there. */
export function pressKey(tree: JsonTree, key: string): boolean {
  const row = tree.rows.value[tree.chosen.value];
  const move = keyMove(tree, key);
  if (row === undefined || move === undefined) return false;
  if (move === "toggle") tree.toggle(row);
  else tree.choose(move);
  return true;
}

/** The effect of a key in the tree: the index of another line, or opening or closing the chosen line. */
function keyMove({ rows, open, chosen }: JsonTree, key: string): number | "toggle" | undefined {
  const at = chosen.value;
  const row = rows.value[at];
  if (row === undefined) return undefined;
  const isOpen = open.value.has(row.path);
  if (key === "ArrowDown") return at + 1;
  if (key === "ArrowUp") return at - 1;
  if (key === "PageDown") return at + 18;
  if (key === "PageUp") return at - 18;
  if (key === "Home") return 0;
  if (key === "End") return rows.value.length - 1;
  if (key === "Enter" || key === " ") return "toggle";
  if (key === "ArrowRight") return isOpen ? at + 1 : "toggle";
  if (key !== "ArrowLeft") return undefined;
  if (isOpen) return "toggle";
  return rows.value.findLastIndex((each, index) => index < at && each.depth < row.depth);
}
