import stringWidth from "string-width";

/** Cells are cut at this many characters before they are measured: no terminal is wider. */
const mostMeasured = 1_000;
const segmenter = new Intl.Segmenter();

/** The columns that a text takes in a terminal. */
export function widthOf(text: string): number {
  return stringWidth(text.slice(0, mostMeasured));
}

/** The text in at most `width` columns; what is cut ends with an ellipsis. */
export function cutTo(text: string, width: number): string {
  const start = text.slice(0, mostMeasured);
  if (start.length === text.length && stringWidth(text) <= width) return text;
  let kept = "";
  let taken = 0;
  for (const { segment } of segmenter.segment(start)) {
    taken += stringWidth(segment);
    if (taken > width - 1) break;
    kept += segment;
  }
  return width < 1 ? "" : `${kept}…`;
}

/** Fills a text with spaces. */
export function padTo(text: string, width: number, side: "left" | "right" = "right"): string {
  const spaces = " ".repeat(Math.max(0, width - widthOf(text)));
  return side === "right" ? text + spaces : spaces + text;
}
