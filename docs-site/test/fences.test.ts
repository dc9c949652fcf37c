import { describe, expect, it } from "vitest";
import { complaintsAbout } from "../samples/fences.ts";
import { deadLinksOf } from "../samples/links.ts";

const fence = (language: string, code: string) => `# A page\n\n\`\`\`${language}\n${code}\n\`\`\`\n`;

describe("a page outside of its TypeScript", () => {
  it.each([
    ["code that nothing checks", fence("js", "run();"), "page.md:4 is in js, which nothing checks"],
    ["a missing script", fence("sh", "npm run fly -- --high"), "page.md: npm has no script fly"],
    ["a missing script in prose", "Say `npm run swim`.", "page.md: npm has no script swim"],
    [
      "a missing program",
      fence("sh", "node examples/patterns/src/sage.ts"),
      "page.md:4 names examples/patterns/src/sage.ts, which does not exist",
    ],
  ])("must not contain %s", (_, markdown, complaint) => {
    expect(complaintsAbout("page.md", markdown)).toEqual([complaint]);
  });

  it("must not contain a shell command that does not parse", () => {
    expect(complaintsAbout("page.md", fence("sh", "echo 'half"))).toEqual([
      expect.stringMatching(/^page.md:4 .*unexpected EOF/),
    ]);
  });

  it("may contain shell commands, SQL and the output of programs", () => {
    const page = [fence("sh", "npm run demo && npm test"), fence("sql", "select 1"), fence("text prints", "1")].join(
      "\n",
    );
    expect(complaintsAbout("page.md", page)).toEqual([]);
  });
});

describe("a link of a README", () => {
  it("may lead to a file or to a heading of a file", () => {
    const links = "[a](docs-site/start/index.md) [b](CONTRIBUTING.md#how-to-add) [c](https://example.com/nothing)";
    expect(deadLinksOf("README.md", links)).toEqual([]);
  });

  it("is reported if its target does not exist", () => {
    expect(deadLinksOf("packages/core/README.md", "[a](../nowhere) [b](README.md#no-heading)")).toEqual([
      "packages/core/README.md: dead link ../nowhere",
      "packages/core/README.md: dead link README.md#no-heading",
    ]);
  });
});
