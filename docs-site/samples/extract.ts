import { fencesOf } from "../../tooling/fences.ts";

/** A piece of TypeScript in the documentation: a fence of a page, or the example of a docstring. */
export interface Sample {
  /** Relative to the root of the repository. */
  readonly file: string;
  /** The line of its first line of code, from 1. */
  readonly line: number;
  readonly code: string;
  /** The module of `contexts/` whose names it uses without an import. */
  readonly context: string | undefined;
  /** The output of a sample that is run; undefined for other samples. */
  readonly prints: string | undefined;
}

/**
 * Returns the TypeScript fences of a page. The language may be followed by `with=NAME` (a context) and `run`: such a sample is a
 * complete program, and the next fence marked `prints` is its output.
 */
export function samplesOfPage(file: string, markdown: string): readonly Sample[] {
  const fences = fencesOf(markdown);
  return fences.flatMap(({ language, marks, line, code }, index): Sample[] => {
    if (language !== "ts") return [];
    const printed = fences.slice(index + 1).find((each) => each.marks.includes("prints"));
    const runs = marks.includes("run");
    if (runs && printed === undefined) throw new Error(`${file}:${line} runs, but no fence below has its output`);
    const context = marks.find((mark) => mark.startsWith("with="))?.slice("with=".length);
    return [{ file, line, code, context, prints: runs ? printed?.code : undefined }];
  });
}

/** Returns the examples in the docstrings of a source file. They use the names of the context `docstrings`. */
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
