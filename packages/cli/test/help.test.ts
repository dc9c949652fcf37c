import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { everyCommand, pathOf } from "../src/every-command.ts";
import { createProgram } from "../src/program.ts";
import { cli } from "./cli.ts";

const program = createProgram(
  { print: () => undefined, keepHelp: () => undefined, columns: undefined },
  async () => undefined,
);
const guide = readFileSync(new URL("../../../docs-site/guides/command-line.md", import.meta.url), "utf8");

const commands = everyCommand(program);

describe("the help", () => {
  it("of every command is as reviewed", async () => {
    const texts: string[] = [];
    for (const command of commands) {
      const { code, out } = await cli([...pathOf(command), "--help"]);
      expect(code).toBe(0);
      texts.push(`$ ${["chainwright", ...pathOf(command), "--help"].join(" ")}\n${out}`);
    }
    await expect(texts.join("\n")).toMatchFileSnapshot("help.txt");
  });

  it("has no command and no option that is missing in the guide", () => {
    const missing = commands.flatMap((command) => {
      const name = pathOf(command).join(" ");
      const flags = command.options.map(({ long }) => long ?? "").filter((flag) => !guide.includes(flag));
      return guide.includes(name) ? flags : [name, ...flags];
    });
    expect(missing).toEqual([]);
  });

  it("describes every command, argument and option in a sentence or phrase", () => {
    for (const command of commands) {
      expect(command.description(), command.name()).toMatch(/\.$/);
      expect(command.options.filter(({ description }) => description === "")).toEqual([]);
    }
  });
});
