/** A block of code in Markdown, between two lines of backticks. */
export interface Fence {
  readonly language: string;
  /** The words after the language. */
  readonly marks: readonly string[];
  /** The line of its first line of code, from 1. */
  readonly line: number;
  readonly code: string;
}

/** Returns the fences of a page, first to last. */
export function fencesOf(markdown: string): readonly Fence[] {
  const fences: Fence[] = [];
  let open:
    | { readonly indent: string; readonly info: readonly string[]; readonly line: number; readonly code: string[] }
    | undefined;
  for (const [index, text] of markdown.split("\n").entries()) {
    const mark = /^(\s*)```(.*)$/.exec(text);
    if (open === undefined) {
      if (mark !== null)
        open = { indent: mark[1] ?? "", info: (mark[2] ?? "").trim().split(/\s+/), line: index + 2, code: [] };
    } else if (mark === null) {
      open.code.push(text.startsWith(open.indent) ? text.slice(open.indent.length) : text);
    } else {
      const [language = "", ...marks] = open.info;
      fences.push({ language, marks, line: open.line, code: open.code.join("\n") });
      open = undefined;
    }
  }
  if (open !== undefined) throw new Error(`the fence at line ${open.line} must be closed; add a line of backticks`);
  return fences;
}
