import { describe, expect, it } from "vitest";
import type { Redactable } from "../src/options.ts";
import type { ChainsResponse } from "../src/protocol/reads.ts";
import { redactKeys } from "../src/redact-keys.ts";
import { createStage } from "./stage.ts";
import { failedOrder, textOf } from "./attack.ts";

const secret = "4000-0000-0000-0002";

describe("redact", () => {
  it("is applied to everything that is sent: payloads, errors, stacks, groups, lists, previews", async () => {
    const stage = await createStage({
      redact: (value) => JSON.parse((JSON.stringify(value) ?? "null").replaceAll(secret, "[redacted]")) as unknown,
    });
    const id = await failedOrder(stage);
    await stage.order("2");
    await stage.work();
    const { items } = await stage.client.listJobs();
    const chains = await stage.client.listChains();
    const paths = [
      "-/chains",
      "-/failed",
      "-/overview",
      ...chains.items.flatMap((chain) => [
        `-/chain?id=${chain.id}`,
        `-/steps?id=${chain.id}`,
        `-/dependents?id=${chain.id}`,
      ]),
      ...items.flatMap((job) => [`-/job?id=${job.id}`, `-/blockers?id=${job.id}`]),
    ];
    for (const path of paths) expect(await textOf(await stage.get(path)), path).not.toContain(secret);
    const preview = await stage.post("-/preview", {
      action: "retry",
      ids: [id],
      edit: [{ op: "add", path: "/note", value: 1 }],
    });
    expect(await textOf(preview)).not.toContain(secret);
    expect(await textOf(await stage.get(`-/chain?id=${id}`))).toContain("[redacted]");
  });

  it("hides the whole value when it throws", async () => {
    const stage = await createStage({
      redact: () => {
        throw new Error("no");
      },
    });
    const id = await failedOrder(stage);
    const text = await textOf(await stage.get(`-/chain?id=${id}`));
    expect(text).not.toContain(secret);
    expect(text).not.toContain("FatalError");
    expect(stage.failures.length).toBeGreaterThan(0);
  });

  it("prevents finding an error by a hidden text", async () => {
    const stage = await createStage({ redact: (value, { part }) => (part === "error" ? "hidden" : value) });
    await failedOrder(stage);
    const response = await stage.get(`-/chains?errorText=${secret}`);
    expect(await response.json()).toMatchObject({ items: [] });
  });

  it.each(["errorText=4000-0000", "errorText=4000-0000&status=failed", "key=card-1", "tag=card%3D4000"])(
    "gives no cursor away by %s, which matches what is hidden only",
    async (filter) => {
      const redact = (value: unknown, { part }: { readonly part: string }) =>
        ["error", "tags", "deduplicationKey"].includes(part) ? "hidden" : value;
      const stage = await createStage({ redact });
      for (let order = 0; order < 3; order += 1) {
        await stage.client.startChain({
          typeName: "order.place",
          input: { orderId: `${order}`, cents: 0 },
          tags: { card: "4000" },
          deduplication: { key: "card-1" },
        });
        await stage.work();
      }
      const page = async (query: string) => {
        const { items, nextCursor } = (await (await stage.get(`-/chains?limit=1&${query}`)).json()) as ChainsResponse;
        return { items, nextCursor };
      };
      const wrong = filter.replace(/4000|card-1/, "none");
      expect(await page(filter)).toEqual(await page(wrong));
    },
  );

  it("leaves what is shown to be found by its text, page by page", async () => {
    const redact = (value: unknown, { part, principal }: Redactable) =>
      part === "error" && principal.role === "viewer" ? "hidden" : value;
    const stage = await createStage({ redact });
    const ids: string[] = [];
    for (let order = 0; order < 3; order += 1) ids.unshift(await failedOrder(stage));
    const found: string[] = [];
    let cursor: string | undefined = "";
    while (cursor !== undefined) {
      const after: string = cursor === "" ? "" : `&cursor=${cursor}`;
      const response = await stage.get(`-/chains?limit=1&errorText=declined${after}`);
      const page = (await response.json()) as ChainsResponse;
      found.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(found).toEqual(ids);
    const viewer = await stage.get("-/chains?errorText=declined", { headers: { "x-test-role": "viewer" } });
    expect(await viewer.json()).toMatchObject({ items: [] });
  });

  it("by keys hides their values at any depth, in upper and lower case", () => {
    const redact = redactKeys(["password", /token$/i]);
    const value = { Password: "a", list: [{ accessToken: "b", kept: 1 }], tokens: 2 };
    expect(redact(value, { part: "input", typeName: "a", chainId: "b", principal: { role: "viewer" } })).toEqual({
      Password: "[redacted]",
      list: [{ accessToken: "[redacted]", kept: 1 }],
      tokens: 2,
    });
  });
});
