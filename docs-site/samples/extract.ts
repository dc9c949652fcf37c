import { fencesOf } from "../../tooling/fences.ts";

/** A piece of TypeScript that readers see: a fence of a page, or the example of a docstring. */
export interface Sample {
  /** From the root of the repository. */
  readonly file: string;
  /** The line of its first line of code, from 1. */
  readonly line: number;
  readonly code: string;
  /** The module of `contexts/` whose names it uses as if they stood above it. */
  readonly context: string | undefined;
  /** Whether it is run, and what it then prints. */
  readonly prints: string | undefined;
}

/**
 * The TypeScript fences of a page. After the language may stand `with=NAME` (a context), and `run`: such a sample is a whole
 * program, and the next fence marked `prints` is what it prints.
 */
export function samplesOfPage(file: string, markdown: string): readonly Sample[] {
  const fences = fencesOf(markdown);
  return fences.flatMap(({ language, marks, line, code }, index): Sample[] => {
    if (language !== "ts") return [];
    const printed = fences.slice(index + 1).find((each) => each.marks.includes("prints"));
    const runs = marks.includes("run");
    if (runs && printed === undefined) throw new Error(`${file}:${line} runs, and no fence below says what it prints`);
    const context = marks.find((mark) => mark.startsWith("with="))?.slice("with=".length);
    return [{ file, line, code, context, prints: runs ? printed?.code : undefined }];
  });
}

/** The examples in the docstrings of a source file. They use the names of the context `docstrings`. */
export function samplesOfDocstrings(file: string, source: string): readonly Sample[] {
  const samples: Sample[] = [];
  let code: string[] | undefined;
  let line = 0;
  const end = (): void => {
    if (code !== undefined)
      samples.push({ file, line, code: code.join("\n"), context: "docstrings", prints: undefined });
    code = undefined;
  };
  for (const [index, text] of source.split("\n").entries()) {
    if (/^\s*\*\s@example\s*$/.test(text)) {
      end();
      code = [];
      line = index + 2;
    } else if (code !== undefined) {
      if (/^\s*\*\/|^\s*\*\s@\w+/.test(text)) end();
      else code.push(text.replace(/^\s*\* ?/, ""));
    }
  }
  end();
  return samples;
}
