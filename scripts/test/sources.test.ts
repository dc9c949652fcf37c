import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

it("leaves out `using` declarations, which Node 22 cannot parse when it runs the sources as they are", () => {
  const sources = globSync("{packages,examples,benchmarks,tests}/*/{src,test}/**/*.ts", { cwd: root });
  const users = sources
    .filter((file) => !file.endsWith(".test-d.ts"))
    .filter((file) => /^\s*(await )?using \w+ =/m.test(readFileSync(`${root}${file}`, "utf8")));
  expect(sources.length).toBeGreaterThan(50);
  expect(users).toEqual([]);
});
