import { fencesOf } from "../../tooling/fences.ts";

/** One step that the start page asks a reader to do. */
export type Step =
  | { readonly kind: "write"; readonly line: number; readonly path: string; readonly text: string }
  | { readonly kind: "run"; readonly line: number; readonly commands: readonly string[] }
  | { readonly kind: "expect"; readonly line: number; readonly printed: string };

/** A section of the page that begins in an empty folder. */
export interface Walk {
  readonly name: string;
  readonly steps: readonly Step[];
}

/** Returns the sections that a reader can follow, which contain "In an empty folder". */
export function walksOf(page: string): readonly Walk[] {
  const lines = page.split("\n");
  const starts = lines.flatMap((line, index) => (line.startsWith("## ") ? [index] : []));
  return starts.flatMap((start, place): Walk[] => {
    const section = lines.slice(start, starts[place + 1]);
    if (!section.some((line) => line.startsWith("In an empty folder"))) return [];
    const steps = stepsOf(section, start);
    const name = section[0]?.slice("## ".length) ?? "";
    if (steps.at(-1)?.kind !== "expect")
      throw new Error(`the section "${name}" of the start page must end with the output of a program`);
    return [{ name, steps }];
  });
}

function stepsOf(section: readonly string[], linesAbove: number): readonly Step[] {
  let from = 0;
  return fencesOf(section.join("\n")).flatMap(({ language, marks, line, code }): Step[] => {
    const prose = section.slice(from, line - 2).join(" ");
    const file = /Put this into `([^`]+)`/.exec(prose)?.[1];
    from = line + code.split("\n").length;
    const at = line + linesAbove;
    if (language === "sh") return [{ kind: "run", line: at, commands: code.split("\n") }];
    if (marks.includes("prints")) return [{ kind: "expect", line: at, printed: code }];
    if (!marks.includes("run")) return [];
    if (file === undefined)
      throw new Error(`line ${at} of the start page: a program must follow "Put this into" and a file name`);
    return [{ kind: "write", line: at, path: file, text: code }];
  });
}
