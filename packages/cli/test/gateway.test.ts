import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { cli } from "./cli.ts";
import { stores } from "./stores.ts";

const folder = mkdtempSync(join(tmpdir(), "chainwright-gateway-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function keyFor(types: string, verbs: string) {
  const { out, code } = await cli(["--json", "gateway", "key", "shop", "--types", types, "--verbs", verbs]);
  expect(code).toBe(0);
  return JSON.parse(out) as { readonly secret: string; readonly key: { readonly hash: string } };
}

describe.each(stores)("the gateway of $name", ({ make, isMissing }) => {
  it.skipIf(isMissing)(
    "is served to those who have a key, within its scopes, until the program is stopped",
    async () => {
      const store = await make();
      await store.stateAdapter.migrate();
      const made = await keyFor("mail.*", "start,read");
      const file = join(folder, `${store.name}.json`);
      writeFileSync(file, `${JSON.stringify(made.key)}\r\n`);
      const printed: string[] = [];
      const started: number[] = [];
      const ran = await cli(["--store", store.url, "gateway", "--keys", file], {
        onPrint: (text) => void printed.push(text),
        untilStopped: async () => {
          const url = printed.join("").trim();
          const post = async (secret: string, typeName: string): Promise<number> => {
            const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
            const body = JSON.stringify({ chains: [{ typeName, input: { to: "ada" } }] });
            return (await fetch(`${url}/v1/chains`, { method: "POST", headers, body })).status;
          };
          started.push(
            await post(made.secret, "mail.send"),
            await post(made.secret, "order.place"),
            await post("cwk_0", "mail.send"),
          );
        },
      });
      expect(ran.code, ran.err).toBe(0);
      expect(started[0]).toBeLessThan(300);
      expect(started[1]).toBeGreaterThanOrEqual(400);
      expect(started[2]).toBe(401);
      expect((await cli(["--store", store.url, "chains", "list"])).lines).toHaveLength(1);
      await store.close();
    },
  );
});

describe("keys", () => {
  it("are printed with their secret, which the line for the file does not have", async () => {
    const { secret, key } = await keyFor("image.*,mail.send", "work");
    expect(key).toMatchObject({ name: "shop", scopes: [{ types: ["image.*", "mail.send"], verbs: ["work"] }] });
    expect(JSON.stringify(key)).not.toContain(secret);
  });

  it.each([
    ["without a file of keys", ["gateway"], "--keys"],
    ["with a file that does not exist", ["gateway", "--keys", "none"], "cannot be read"],
    ["with a file without keys", ["gateway", "--keys", "empty.json"], "at least one key"],
    ["with a key without scopes", ["gateway", "--keys", "half.json"], "must have a name, a hash and scopes"],
    ["with an unknown verb", ["gateway", "key", "a", "--types", "a", "--verbs", "delete"], "--verbs must be"],
  ])("are refused %s", async (_what, args, text) => {
    writeFileSync(join(folder, "empty.json"), "[]");
    writeFileSync(join(folder, "half.json"), '{"name":"a"}');
    const { code, err } = await cli(["--store", "sqlite:a.db", ...args], { folder });
    expect(code).toBe(2);
    expect(err).toContain(text);
  });
});
