import { describe, expect, it } from "vitest";
import { walksOf } from "../packages/start-page.ts";

const fence = (info: string, ...lines: string[]) => ["```" + info, ...lines, "```"];
const page = (...lines: readonly (string | string[])[]) => lines.flat().join("\n");

const install = ["In an empty folder:", ...fence("sh", "npm init -y", "npm install chainwright")];
const program = ["Put this into `jobs.ts`:", ...fence("ts run", "console.log(1);")];
const output = [...fence("sh", "node jobs.ts"), ...fence("text prints", "1")];

describe("the steps of the start page", () => {
  it("are the fences of the page, in their order, with their lines", () => {
    expect(walksOf(page("# Start", "## SQLite", install, program, output, "## Next", "Read on."))).toEqual([
      {
        name: "SQLite",
        steps: [
          { kind: "run", line: 5, commands: ["npm init -y", "npm install chainwright"] },
          { kind: "write", line: 10, path: "jobs.ts", text: "console.log(1);" },
          { kind: "run", line: 13, commands: ["node jobs.ts"] },
          { kind: "expect", line: 16, printed: "1" },
        ],
      },
    ]);
  });

  it("exclude sections that continue another section, and samples that are parts of a program", () => {
    const sections = page("## SQLite", install, program, output, fence("ts", "part();"), "## Then", program);
    expect(walksOf(sections).map(({ name, steps }) => [name, steps.length])).toEqual([["SQLite", 4]]);
  });

  it("are refused if a program has no file name", () => {
    expect(() => walksOf(page("## SQLite", install, fence("ts run", "run();"), output))).toThrow("Put this into");
  });

  it("are refused if a section does not end with the output of a program", () => {
    expect(() => walksOf(page("## SQLite", install, program, fence("sh", "node jobs.ts")))).toThrow(
      "must end with the output",
    );
  });
});
