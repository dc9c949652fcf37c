import { styleText } from "node:util";
import { cutTo, padTo, widthOf } from "../text/width.ts";

/** How a column looks on a terminal. */
export interface Look {
  readonly name: string;
  readonly isNumber?: boolean | undefined;
  /** It gives way first in a narrow terminal, and then has a line of its own. */
  readonly isFlexible?: boolean | undefined;
  /** It is never cut, because it is copied. */
  readonly isWhole?: boolean | undefined;
  /** The style of a cell. */
  readonly style?: ((cell: string) => Style | undefined) | undefined;
}

export type Style = Parameters<typeof styleText>[0];

const gap = "  ";
const leastWidth = 8;
/** A flexible column with less room than this is put below its row. */
const leastBeside = 24;

export interface Layout {
  readonly columns: number;
  readonly hasColour: boolean;
  readonly hasHead: boolean;
}

/** Lays out cells as lines of a terminal. */
export function layOut(
  looks: readonly Look[],
  rows: readonly (readonly string[])[],
  layout: Layout,
): readonly string[] {
  const places = looks.map((_look, place) => place);
  const natural = looks.map(({ name }, place) =>
    rows.reduce((widest, cells) => Math.max(widest, widthOf(cells[place] ?? "")), name.length),
  );
  const below = places.filter((place) => looks[place]?.isFlexible === true && !hasRoom(looks, natural, place, layout));
  const beside = places.filter((place) => !below.includes(place));
  const widths = shrunk(looks, natural, beside, layout.columns);
  const paint = (text: string, style: Style | undefined): string =>
    layout.hasColour && style !== undefined ? styleText(style, text, { validateStream: false }) : text;
  const lineOf = (cells: readonly string[], styleOf: (place: number) => Style | undefined): string =>
    beside
      .map((place) => {
        const width = widths[place] ?? 0;
        const cut = looks[place]?.isWhole === true ? (cells[place] ?? "") : cutTo(cells[place] ?? "", width);
        return paint(padTo(cut, width, looks[place]?.isNumber === true ? "left" : "right"), styleOf(place));
      })
      .join(gap)
      .trimEnd();
  const head = layout.hasHead
    ? [
        lineOf(
          looks.map(({ name }) => name.toUpperCase()),
          () => "dim",
        ),
      ]
    : [];
  const body = rows.flatMap((cells) => [
    lineOf(cells, (place) => looks[place]?.style?.(cells[place] ?? "")),
    ...below
      .filter((place) => (cells[place] ?? "") !== "")
      .map((place) => paint(`${gap}${cutTo(cells[place] ?? "", layout.columns - gap.length)}`, "dim")),
  ]);
  return [...head, ...body];
}

/** Whether a flexible column fits beside the others, or has at least room to be read. */
function hasRoom(looks: readonly Look[], natural: readonly number[], place: number, { columns }: Layout): boolean {
  const others = natural.reduce(
    (sum, width, other) => (other === place || looks[other]?.isFlexible === true ? sum : sum + width),
    0,
  );
  const left = columns - others - gap.length * (looks.length - 1);
  return left >= Math.min(natural[place] ?? 0, leastBeside);
}

/** What does not fit is taken from the flexible columns, and then from the widest; ids stay whole. */
function shrunk(
  looks: readonly Look[],
  natural: readonly number[],
  beside: readonly number[],
  columns: number,
): readonly number[] {
  const widths = [...natural];
  const excess = (): number =>
    beside.reduce((sum, place) => sum + (widths[place] ?? 0), gap.length * (beside.length - 1)) - columns;
  for (const isFlexible of [true, false]) {
    const candidates = beside.filter(
      (place) => (looks[place]?.isFlexible ?? false) === isFlexible && looks[place]?.isWhole !== true,
    );
    while (excess() > 0) {
      const widest = candidates.reduce<number | undefined>(
        (most, place) =>
          (widths[place] ?? 0) > (most === undefined ? leastWidth : (widths[most] ?? 0)) ? place : most,
        undefined,
      );
      if (widest === undefined) break;
      widths[widest] = (widths[widest] ?? 0) - 1;
    }
  }
  return widths;
}
