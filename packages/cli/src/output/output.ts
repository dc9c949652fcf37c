import { styleText } from "node:util";
import type { Surroundings } from "../surroundings.ts";
import { escapeText, toJson } from "../text/escape.ts";
import { shownDuration, shownMoment } from "../text/time.ts";
import { layOut, type Look, type Style } from "./table.ts";

export type { Style } from "./table.ts";

/** What a cell may contain. A Date is shown as an age on a terminal, and in ISO 8601 in a pipe. */
export type Cell = string | number | boolean | Date | Duration | undefined;

/** A duration in milliseconds. */
export interface Duration {
  readonly ms: number;
}

/** A column of rows of one kind. */
export interface Column<in Row> extends Look {
  readonly cell: (row: Row) => Cell;
}

/** A kind of rows: its columns, and a row as JSON. */
export interface Table<in Row> {
  readonly columns: readonly Column<Row>[];
  readonly json: (row: Row) => object;
}

/** Writes what a command has found: a table on a terminal, tab-separated in a pipe, or NDJSON. */
export interface Output {
  readonly isJson: boolean;
  readonly isTerminal: boolean;
  /** Writes rows; the head of a table is written once. */
  rows<Row>(table: Table<Row>, rows: readonly Row[]): void;
  /** Writes names with values, and as JSON one object. */
  facts(facts: readonly (readonly [name: string, value: Cell, style?: Style | undefined])[], json: object): void;
  /** A sentence for a person; nothing in a pipe or with `--json`. */
  say(sentence: string, style?: Style): void;
  /** A sentence over what follows, for a person. */
  heading(sentence: string): void;
  /** A line of text for people and pipes; with `--json` the object. */
  line(text: string, json: object): void;
  /** A line on the side of errors. */
  note(sentence: string): void;
}

/** The most columns of a terminal that is asked for its width and does not know it. */
const usualColumns = 80;

export function createOutput(
  { print, complain, columns, env }: Surroundings,
  { isJson }: { readonly isJson: boolean },
): Output {
  const isTerminal = columns !== undefined && !isJson;
  const hasColour = isTerminal && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
  const layout = { columns: columns !== undefined && columns > 0 ? columns : usualColumns, hasColour };
  const headed = new Set<unknown>();
  const paint = (text: string, style: Style | undefined): string =>
    hasColour && style !== undefined ? styleText(style, text, { validateStream: false }) : text;
  const write = (line: string): void => print(`${line}\n`);
  return {
    isJson,
    isTerminal,
    rows(table, rows) {
      const now = Date.now();
      if (isJson) for (const row of rows) write(toJson(table.json(row)));
      else if (isTerminal) {
        const cells = rows.map((row) => table.columns.map(({ cell }) => escapeText(shown(cell(row), now))));
        if (cells.length > 0) layOut(table.columns, cells, { ...layout, hasHead: !headed.has(table) }).forEach(write);
        if (cells.length > 0) headed.add(table);
      } else for (const row of rows) write(table.columns.map(({ cell }) => escapeText(plain(cell(row)))).join("\t"));
    },
    facts(facts, json) {
      const now = Date.now();
      const width = Math.max(...facts.map(([name, value]) => (value === undefined ? 0 : name.length)));
      if (isJson) write(toJson(json));
      else
        for (const [name, value, style] of facts) {
          if (value === undefined) continue;
          if (isTerminal) write(`${paint(name.padEnd(width), "dim")}  ${paint(escapeText(shown(value, now)), style)}`);
          else write(`${name}\t${escapeText(plain(value))}`);
        }
    },
    say: (sentence, style) => {
      if (isTerminal) write(paint(escapeText(sentence), style));
    },
    heading: (sentence) => {
      if (isTerminal) write(`\n${paint(escapeText(sentence), "bold")}`);
    },
    line: (text, json) => write(isJson ? toJson(json) : escapeText(text)),
    note: (sentence) => complain(`${escapeText(sentence)}\n`),
  };
}

function shown(cell: Cell, now: number): string {
  if (cell instanceof Date) return shownMoment(cell, now);
  if (typeof cell === "object") return shownDuration(cell.ms);
  return typeof cell === "number" ? cell.toLocaleString("en") : plain(cell);
}

function plain(cell: Cell): string {
  if (cell instanceof Date) return cell.toISOString();
  if (typeof cell === "object") return String(Math.round(cell.ms));
  return cell === undefined ? "" : String(cell);
}
