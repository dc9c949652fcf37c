import { beforeAll, describe, expect, it } from "vitest";
import { namesPage } from "../names/page.ts";
import { since } from "../names/since.ts";
import { publicNames, type PublicName } from "../samples/exported.ts";

describe("the public names", { timeout: 120_000 }, () => {
  let all: ReadonlyMap<string, readonly PublicName[]>;

  beforeAll(() => {
    all = publicNames();
  }, 120_000);

  it("are those that docs-site/names/since.ts records, each once: record a new one, and remove none without reason", () => {
    const recorded = Object.entries(since).map(
      ([door, versions]) => [door, Object.values(versions).flat().sort()] as const,
    );
    const exported = [...all].map(([door, names]) => [door, names.map(({ name }) => name).sort()] as const);
    expect(Object.fromEntries(recorded)).toEqual(Object.fromEntries(exported));
  });

  it("have a row each on their page, with what they are and since when", () => {
    const rows = namesPage(all)
      .split("\n")
      .filter((line) => line.startsWith("| `"));
    expect(rows).toHaveLength([...all.values()].flat().length);
    for (const row of rows) expect(row).toMatch(/^\| `\w+` \| \S.*\. \| \d+\.\d+ \|$/);
  });
});
