import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";

const fixtures = fileURLToPath(new URL("fixtures/", import.meta.url));
const modules = fileURLToPath(new URL("../../../../node_modules/", import.meta.url));

/** A mistake in a fixture: the comment above it is the only message that the compiler may report. */
interface Mistake {
  readonly line: number;
  readonly kind: "refused" | "says";
  readonly text: string;
}

interface Diagnostic {
  readonly line: number;
  readonly messages: readonly string[];
}

const files = readdirSync(fixtures).filter((name) => name.endsWith(".ts"));

describe.each([
  { name: "TypeScript 7", compiler: "typescript7/bin/tsc" },
  { name: "TypeScript 6", compiler: "typescript/bin/tsc" },
  { name: "TypeScript 5", compiler: "typescript5/bin/tsc" },
])("what $name says of mistakes", ({ compiler }) => {
  let diagnostics: ReadonlyMap<string, readonly Diagnostic[]>;
  beforeAll(async () => {
    diagnostics = readDiagnostics(await compile(join(modules, compiler)));
  }, 60_000);

  for (const file of files) {
    const mistakes = readMistakes(readFileSync(join(fixtures, file), "utf8"));
    it.each(mistakes)(`${file}:$line $kind: $text`, ({ line, kind, text }) => {
      const here = (diagnostics.get(file) ?? []).filter((diagnostic) => diagnostic.line === line);
      const said = kind === "refused" ? here.map(sentenceOf) : here.flatMap(({ messages }) => messages);
      expect(said).toSatisfy(() => said.some((message) => fits(message, text)));
    });

    it(`${file} has no other errors, and no message is longer than three lines`, () => {
      const expected = new Set(mistakes.map((mistake) => mistake.line));
      const found = diagnostics.get(file) ?? [];
      expect(found.filter((diagnostic) => !expected.has(diagnostic.line))).toEqual([]);
      expect(found.filter((diagnostic) => diagnostic.messages.length > 3)).toEqual([]);
    });
  }
});

/** Whether a message begins as expected, and ends so if the expectation has a gap, because compilers order unions differently. */
function fits(message: string, expected: string): boolean {
  const [begin = "", end = ""] = expected.split("[...]");
  return message.startsWith(begin) && message.endsWith(end);
}

/** The sentence is at the end of the only message, or at its beginning as the name of a property that is missing. */
function sentenceOf({ messages }: Diagnostic): string {
  const [message = "", ...more] = messages;
  const [, sentence] = /^Property '"(.+?)"' is missing in type/u.exec(message) ?? /'"(.+)"'\.$/u.exec(message) ?? [];
  return sentence !== undefined && more.length === 0 ? sentence : `not a sentence: ${messages.join(" / ")}`;
}

function readMistakes(source: string): readonly Mistake[] {
  const lines = source.split("\n");
  return lines.flatMap((comment, index): Mistake[] => {
    const [, kind, text] = /^\s*\/\/ (refused|says): (.+)$/u.exec(comment) ?? [];
    if (kind === undefined || text === undefined) return [];
    const next = lines.findIndex((line, at) => at > index && !line.trimStart().startsWith("//"));
    return [{ line: next + 1, kind: kind === "refused" ? "refused" : "says", text }];
  });
}

function compile(compiler: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [compiler, "--pretty", "false", "-p", fixtures], { cwd: fixtures }, (error, stdout) => {
      if (error === null || stdout === "") reject(new Error("the fixtures compiled without an error"));
      else resolve(stdout);
    });
  });
}

function readDiagnostics(output: string): ReadonlyMap<string, readonly Diagnostic[]> {
  const found = new Map<string, { line: number; messages: string[] }[]>();
  let last: { line: number; messages: string[] } | undefined;
  for (const text of output.split("\n")) {
    const [, file, line, message] = /^(.+?)\((\d+),\d+\): error TS\d+: (.+)$/u.exec(text) ?? [];
    if (file !== undefined && message !== undefined) {
      last = { line: Number(line), messages: [message] };
      found.set(file, [...(found.get(file) ?? []), last]);
    } else if (text.startsWith("  ")) last?.messages.push(text.trim());
  }
  return found;
}
