import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { createFolder, sourceFlags } from "./demo.ts";

const example = fileURLToPath(new URL("./readme-example.ts", import.meta.url));

it("runs the code of the front page as it stands there", async () => {
  const readme = await readFile(new URL("../../../README.md", import.meta.url), "utf8");
  expect(readme).toContain(`\`\`\`ts\n${await readFile(example, "utf8")}\`\`\``);
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [...sourceFlags, example], {
    cwd: await createFolder(),
  });
  expect({ stdout, stderr }).toEqual({ stdout: "receipt for 4200 cents\n", stderr: "" });
});
