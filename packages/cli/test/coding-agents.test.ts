import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { everyCommand, pathOf } from "../src/every-command.ts";
import { createProgram } from "../src/program.ts";

const root = new URL("../../../", import.meta.url).pathname;
const page = readFileSync(`${root}docs-site/guides/coding-agents.md`, "utf8");
const program = createProgram(
  { print: () => undefined, keepHelp: () => undefined, columns: undefined },
  async () => undefined,
);
const commands = new Map(everyCommand(program).map((command) => [pathOf(command).join(" "), command]));
const isOption = (word: string): boolean => word.startsWith("--");

/** The samples of the page are compiled with all others. */
describe("the page for coding agents", () => {
  it("names commands and options that exist", () => {
    const named = [...page.matchAll(/npx chainwright ([^`\n]+)/g)].map(([, words = ""]) => words.split(" "));
    expect(named.length).toBeGreaterThan(5);
    for (const words of named) {
      const path = [words.slice(0, 2), words.slice(0, 1)]
        .map((each) => each.join(" "))
        .find((each) => commands.has(each));
      expect(path, words.join(" ")).toBeDefined();
      const options = everyCommand(program)
        .filter((command) =>
          pathOf(command)
            .join(" ")
            .startsWith(path ?? " "),
        )
        .flatMap((command) => command.options.map(({ long }) => long));
      expect(options, words.join(" ")).toEqual(expect.arrayContaining(words.filter(isOption)));
    }
  });

  it("names words of code that exist", () => {
    const sources = globSync("packages/core/src/**/*.ts", { cwd: root })
      .map((file) => readFileSync(`${root}${file}`, "utf8"))
      .join("\n");
    const named = [...page.matchAll(/`(?:\w+\.)?([a-z]+[A-Z]\w*|[A-Z]\w+)(?:\(\.\.\.\))?`/g)].map(
      ([, name = ""]) => name,
    );
    expect(named.length).toBeGreaterThan(5);
    for (const name of named) expect(sources, name).toMatch(new RegExp(`\\b${name}\\b`));
  });
});
