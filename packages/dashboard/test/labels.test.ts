import { describe, expect, it } from "vitest";
import type { ChainResponse, ChainsResponse } from "../src/protocol/reads.ts";
import { redactKeys } from "../src/redact-keys.ts";
import { createStage, type Stage } from "./stage.ts";

async function read<Answer>(stage: Stage, path: string): Promise<Answer> {
  const response = await stage.get(path);
  expect(response.status, path).toBe(200);
  return (await response.json()) as Answer;
}

describe("tags and deduplication keys", () => {
  const find = async (stage: Stage) => {
    const tags = { orderId: "42", token: "secret", "a b": "x=y" };
    const deduplication = { key: "mail of 42" };
    const mail = { typeName: "mail.send", input: { to: "a@b" } } as const;
    const { id } = await stage.client.startChain({ ...mail, tags, deduplication });
    const other = await stage.client.startChain({ ...mail, tags: { orderId: "43" } });
    const ids = async (query: Record<string, string> | string) =>
      (await read<ChainsResponse>(stage, `-/chains?${new URLSearchParams(query).toString()}`)).items.map(
        (chain) => chain.id,
      );
    return { id, other: other.id, ids };
  };

  it("find chains, and are shown with them", async () => {
    const stage = await createStage();
    const { id, other, ids } = await find(stage);
    expect(await ids({ tag: "orderId=42" })).toEqual([id]);
    expect(await ids("tag=orderId%3D42&tag=a+b%3Dx%3Dy")).toEqual([id]);
    expect(await ids("tag=orderId%3D43&tag=a+b%3Dx%3Dy")).toEqual([]);
    expect(await ids({ key: "mail of 42" })).toEqual([id]);
    expect(await ids({ key: "mail of 42", typeName: "order.place" })).toEqual([]);
    expect(await ids({ tag: "orderId=43" })).toEqual([other]);
    const { chain } = await read<ChainResponse>(stage, `-/chain?id=${id}`);
    expect(chain.deduplicationKey).toBe("mail of 42");
    expect(chain.tags.map(({ name, value }) => `${name}: ${value}`)).toEqual([
      "a b: x=y",
      "orderId: 42",
      "token: secret",
    ]);
  });

  it("are refused if they are incomplete or too many", async () => {
    const { get } = await createStage();
    const nine = Array.from({ length: 9 }, (_, index) => `tag=a${index}%3D1`).join("&");
    for (const query of ["tag=orderId", "tag=%3D42", "tag=orderId%3D", "key=", "key=a&key=b", nine]) {
      expect([query, (await get(`-/chains?${query}`)).status]).toEqual([query, 400]);
    }
  });

  it("are redacted, and what is hidden finds nothing", async () => {
    const hideTokens = redactKeys(["token"]);
    const stage = await createStage({
      redact: (value, where) => (where.part === "deduplicationKey" ? "hidden" : hideTokens(value, where)),
    });
    const { id, ids } = await find(stage);
    const text = JSON.stringify(await read<ChainResponse>(stage, `-/chain?id=${id}`));
    expect(text).not.toMatch(/secret|mail of 42/);
    expect(await ids({ tag: "orderId=42" })).toEqual([id]);
    expect(await ids({ tag: "token=secret" })).toEqual([]);
    expect(await ids({ key: "mail of 42" })).toEqual([]);
  });
});
