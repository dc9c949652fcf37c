import type { Declaration, FindDeclarations } from "./declarations.ts";
import type { Mutant } from "./mutant.ts";

/** The text that a mutant replaces. */
export interface Located {
  readonly path: string;
  readonly start: number;
  readonly end: number;
}

/** Finds the text that a mutant replaces. Throws an error that says what to do where it is missing or ambiguous. */
export function locate(mutant: Mutant, find: FindDeclarations): Located {
  const { name, in: anchor } = mutant;
  const declarations = find(anchor);
  if (declarations.length === 0) {
    throw new Error(
      `Mutant "${name}": no top-level declaration is called ${anchor}. If it was renamed or its code has moved, ` +
        "set `in` to the declaration that holds the protection now.",
    );
  }
  const places = declarations.flatMap((declaration) => placesIn(declaration, mutant.find));
  const [place, second] = places;
  if (place === undefined) {
    throw new Error(
      `Mutant "${name}": ${anchor} (${pathsOf(declarations)}) does not contain this text any more:\n${mutant.find}\n` +
        "Set `find` and `replace` so that they take out the same protection; delete the mutant if the protection is gone.",
    );
  }
  if (second !== undefined) {
    throw new Error(
      `Mutant "${name}": ${anchor} (${pathsOf(declarations)}) contains this text ${places.length} times:\n${mutant.find}\n` +
        "Make `find` longer, so that it names one place.",
    );
  }
  return place;
}

function placesIn({ path, start, text }: Declaration, find: string): readonly Located[] {
  return [...text.matchAll(patternOf(find))].map((match) => {
    const from = start + match.index;
    return { path, start: from, end: from + match[0].length };
  });
}

const token = /[\w$]+|[^\s\w$]/g;
const startsWithWord = /^\w/;
const endsWithWord = /\w$/;
const closingBracket = /^[)\]}]$/;

/** A pattern for whole words in which line breaks, spaces and the comma before a closing bracket do not matter. */
function patternOf(find: string): RegExp {
  let pattern = startsWithWord.test(find.trim()) ? "(?<![\\w$])" : "";
  let end = 0;
  let last = "";
  for (const { 0: text, index } of find.matchAll(token)) {
    const areWords = endsWithWord.test(last) && startsWithWord.test(text);
    if (last !== "") pattern += areWords && index > end ? "\\s+" : "\\s*";
    if (last !== "" && last !== "," && closingBracket.test(text)) pattern += ",?\\s*";
    pattern += text.replaceAll(/\W/g, "\\$&");
    end = index + text.length;
    last = text;
  }
  if (endsWithWord.test(last)) pattern += "(?![\\w$])";
  return new RegExp(pattern, "g");
}

function pathsOf(declarations: readonly Declaration[]): string {
  return declarations.map(({ path }) => path).join(", ");
}
