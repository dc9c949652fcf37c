import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createClient, defineJobTypes } from "chainwright";
import { afterAll, describe, expect, it } from "vitest";
import { cli } from "./cli.ts";
import { stores } from "./stores.ts";

const folder = mkdtempSync(join(tmpdir(), "chainwright-check-"));
afterAll(() => rmSync(folder, { recursive: true }));
const config = fileURLToPath(new URL("fixtures/chainwright.config.ts", import.meta.url));

const released = defineJobTypes<{
  "mail.send": { entry: true; input: { to: string }; output: null };
  "mail.old": { entry: true; input: null; output: null };
}>();

describe.each(stores)("check on $name", ({ make, isMissing }) => {
  it.skipIf(isMissing)("finds work in flight that the code of the configuration cannot run", async () => {
    const store = await make();
    await store.stateAdapter.migrate();
    const client = createClient({ stateAdapter: store.stateAdapter, jobTypes: released, observers: [] });
    await client.startChain({ typeName: "mail.send", input: { to: "a" } });
    const env = { TEST_STORE: store.url };
    const check = async (...args: readonly string[]) => {
      process.env["TEST_STORE"] = store.url;
      return await cli(["--config", config, "check", ...args], { env });
    };
    expect(await check()).toMatchObject({ code: 0 });
    const old = await client.startChain({ typeName: "mail.old", input: null });
    const found = await check("--sample", "all");
    expect(found).toMatchObject({ code: 1 });
    expect(found.out).toContain("no-processor\tmail.old\t1");
    expect(await check("--elsewhere", "mail.old")).toMatchObject({ code: 0 });
    await client.cancelChain(old);
    expect(await check()).toMatchObject({ code: 0 });
    await client.close();
    await store.close();
  });
});

describe("a configuration", () => {
  it.each([
    ["without a client", "export default {};", "must have a default export"],
    ["with a client that is none", "export default { client: {}, stateAdapter: {} };", "createClient returned"],
    ["that throws", 'throw new Error("no DATABASE_URL");', "no DATABASE_URL"],
  ])("%s is told in a sentence", async (_what, text, sentence) => {
    const file = join(mkdtempSync(join(folder, "c-")), "chainwright.config.mjs");
    writeFileSync(file, text);
    const ran = await cli(["--config", file, "types"]);
    expect(ran.code).toBeGreaterThan(0);
    expect(ran.err).toContain(sentence);
    expect(ran.err).not.toMatch(/^ {4}at /m);
  });
});
