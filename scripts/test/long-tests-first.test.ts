import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { longTests } from "../../tooling/long-tests-first.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

it("the files that begin first exist", () => {
  expect(longTests.filter((file) => !existsSync(`${root}${file}`))).toEqual([]);
});
