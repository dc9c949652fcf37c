import type { Sample } from "./extract.ts";

/** A sample as a file for the compiler, and the number of lines above its first line. */
export interface SampleModule {
  readonly name: string;
  readonly text: string;
  readonly linesAbove: number;
}

const importStatement = /^import\s[^;]*?from\s+"[^"]+";?[^\n]*$|^import\s+"[^"]+";?[^\n]*$/gm;

/** A module and the names that samples may use from it. */
export interface Offer {
  readonly from: string;
  readonly names: readonly string[];
}

/**
 * Without a context a sample is a module, unchanged. With a context it becomes the body of a function below imports of the
 * context's names, so that its own declarations shadow them.
 *
 * @param offers the modules of the available names; if two offer one name, the first wins.
 */
export function moduleOf(sample: Sample, offers: readonly Offer[]): SampleModule {
  const name = nameOf(sample);
  if (sample.context === undefined) return { name, text: `${sample.code}\nexport {};\n`, linesAbove: 0 };
  const imports = sample.code.match(importStatement) ?? [];
  // Imports are replaced by blank lines, so that line numbers stay the same.
  const body = sample.code
    .replace(importStatement, (statement) => statement.replace(/[^\n]/g, ""))
    .replace(/^export (?=(?:const|function|async|interface|type|class)\b)/gm, "");
  const above = [
    ...given(body, offers, imports.flatMap(localNames)),
    ...imports.map((statement) => statement.replaceAll("\n", " ")),
    "export async function sample() {",
  ];
  return { name, text: `${above.join("\n")}\n${body}\n}\n`, linesAbove: above.length };
}

/** Returns imports of the names that the text mentions. */
function given(text: string, offers: readonly Offer[], taken: readonly string[]): readonly string[] {
  const words = new Set(text.match(/\w+/g));
  const seen = new Set(taken);
  return offers.flatMap(({ from, names }) => {
    const wanted = [...new Set(names)].filter((name) => words.has(name) && !seen.has(name));
    for (const name of wanted) seen.add(name);
    return wanted.length === 0 ? [] : [`import { ${wanted.join(", ")} } from "${from}";`];
  });
}

function nameOf({ file, line }: Sample): string {
  return `${file.replace(/\.(md|ts)$/, "").replaceAll(/\W+/g, "-")}.${line}.ts`;
}

/** Returns the names that an import statement imports. */
function localNames(statement: string): readonly string[] {
  return namesIn(/^import\s+(?:type\s+)?([^]*?)\s+from\s/.exec(statement)?.[1] ?? "");
}

/** Returns the names that a module exports: its own declarations and re-exports. */
export function exportsOf(source: string): readonly string[] {
  const declared = source.matchAll(
    /^export (?:declare )?(?:async )?(?:const|function|interface|type(?: \* as)?) (\w+)/gm,
  );
  const handedOn = source.matchAll(/^export (?:type )?(\{[^}]*\}) from/gm);
  return [
    ...Array.from(declared, ([, name = ""]) => name),
    ...Array.from(handedOn, ([, clause = ""]) => namesIn(clause)).flat(),
  ];
}

/** `{ a, type B, c as d }` as `a`, `B`, `d`. */
function namesIn(clause: string): readonly string[] {
  return clause
    .replaceAll(/[{}]/g, ",")
    .split(",")
    .map((each) =>
      each
        .replace(/^[^]*\sas\s/, "")
        .replace(/^\s*type\s/, "")
        .trim(),
    )
    .filter((each) => each !== "");
}
