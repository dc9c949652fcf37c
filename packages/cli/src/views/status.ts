import type { Style } from "../output/table.ts";

const styles: Readonly<Record<string, Style>> = {
  completed: "green",
  failed: "red",
  cancelled: "yellow",
  running: "cyan",
  active: "cyan",
  ready: "bold",
};

/** The colour of a status. */
export function statusStyle(status: string): Style | undefined {
  return styles[status];
}
