import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { engineMutants } from "./engine-mutants.ts";
import { storeMutants } from "./store-mutants.ts";

it.each([...storeMutants, ...engineMutants])("what the mutant $name takes out is there", ({ file, find }) => {
  const source = readFileSync(join(import.meta.dirname, "../../src", file), "utf8");
  expect(source.split(find)).toHaveLength(2);
});
