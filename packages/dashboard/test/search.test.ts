import { createClient, defineJobTypes } from "chainwright";
import { describe, expect, it, onTestFinished } from "vitest";
import { createDashboard } from "../src/create-dashboard.ts";
import type { DashboardOptions } from "../src/options.ts";
import type { ChainsResponse } from "../src/protocol/reads.ts";
import { redactKeys } from "../src/redact-keys.ts";
import { stores } from "./stores.ts";

interface Order {
  readonly orderId: number;
  readonly customer: { readonly name: string; readonly vip: boolean | null };
  readonly items: readonly { readonly sku: string }[];
}

interface Types {
  readonly order: { entry: true; input: Order; output: null; continueWith: "order" };
}

const jobTypes = defineJobTypes<Types>();
const orderOf = (orderId: number): Order => {
  return {
    orderId,
    customer: { name: `name ${orderId}`, vip: orderId === 3 ? null : true },
    items: [{ sku: `A-${orderId}` }],
  };
};

for (const { name, isMissing, open } of stores) {
  describe.skipIf(isMissing)(`a search, ${name}`, () => {
    const setUp = async (options: Partial<DashboardOptions> = {}) => {
      const client = createClient({ stateAdapter: await open(), jobTypes, observers: [] });
      const dashboard = createDashboard({ client, authorize: () => ({ role: "viewer" }), ...options });
      onTestFinished(() => client.close());
      const ask = async (query: Readonly<Record<string, string>>) =>
        await dashboard.fetch(new Request(`http://localhost/-/chains?${new URLSearchParams(query).toString()}`));
      const search = async (query: Readonly<Record<string, string>>) =>
        (await (await ask(query)).json()) as ChainsResponse;
      const idsOf = async (query: Readonly<Record<string, string>>) => (await search(query)).items.map(({ id }) => id);
      const start = async (count: number) => {
        const items = Array.from(
          { length: count },
          (_, at) => ({ typeName: "order", input: orderOf(at + 1) }) as const,
        );
        return (await client.startChains({ items })).map(({ id }) => id);
      };
      return { client, ask, search, idsOf, start };
    };

    it("by the beginning of an id finds chains and jobs, page by page, in both orders", async () => {
      const { client, ask, search, idsOf, start } = await setUp();
      const ids = await start(5);
      const [first = "", second = ""] = ids;
      expect(await idsOf({ id: first.slice(0, 35) })).toEqual([first]);
      expect(await idsOf({ id: first.slice(0, 35).toUpperCase(), order: "oldest" })).toEqual([first]);
      expect(await idsOf({ id: "ffffffff-ffff" })).toEqual([]);
      expect(await idsOf({ id: "0000" })).toEqual([]);
      await client.continueChain({ id: second, typeName: "order", with: { typeName: "order", input: orderOf(9) } });
      const { items: steps } = await client.listChainJobs({ id: second, order: "newest", limit: 1 });
      expect(await idsOf({ id: steps[0]?.id.slice(0, 35) ?? "" })).toEqual([second]);
      for (const order of ["newest", "oldest"]) {
        const common = first.slice(0, 8);
        const found: string[] = [];
        let cursor: string | undefined = "";
        while (cursor !== undefined) {
          const page: ChainsResponse = await search({
            id: common,
            order,
            limit: "2",
            ...(cursor !== "" && { cursor }),
          });
          expect(page.items.length).toBeLessThanOrEqual(2);
          found.push(...page.items.map(({ id }) => id));
          cursor = page.nextCursor;
        }
        expect(found).toEqual(order === "oldest" ? ids : ids.toReversed());
      }
      for (const wrong of ["01a", "01a1f84a9", "xyzw", `${first}0`, "____"])
        expect((await ask({ id: wrong })).status).toBe(400);
    });

    it("by a value in the input finds it at its path", async () => {
      const { ask, idsOf, start } = await setUp();
      const ids = await start(3);
      expect(await idsOf({ input: "orderId=2" })).toEqual([ids[1]]);
      expect(await idsOf({ input: "$.customer.name=name 3" })).toEqual([ids[2]]);
      expect(await idsOf({ input: "items[0].sku=A-1" })).toEqual([ids[0]]);
      expect(await idsOf({ input: "customer.vip=null" })).toEqual([ids[2]]);
      expect(await idsOf({ input: "customer.vip=true", typeName: "order", order: "oldest" })).toEqual(ids.slice(0, 2));
      expect(await idsOf({ input: "orderId=2", step: "ready" })).toEqual([ids[1]]);
      for (const none of ["orderId=", "orderId=22", "customer=[object Object]", "toString=x", "__proto__.x=1", ".=1"])
        expect(await idsOf({ input: none }), none).toEqual([]);
      for (const wrong of ["orderId", "=2", ""]) expect((await ask({ input: wrong })).status).toBe(400);
    });

    it("does not tell by its page, nor by its cursor, what `redact` hides", async () => {
      const { search, idsOf, start } = await setUp({ redact: redactKeys(["name"]) });
      const ids = await start(3);
      for (const limit of ["1", "2", "50"]) {
        const { now: _, ...right } = await search({ input: "customer.name=name 2", limit });
        const { now: __, ...wrong } = await search({ input: "customer.name=name 7", limit });
        expect(right).toEqual(wrong);
      }
      expect(await idsOf({ input: "orderId=2" })).toEqual([ids[1]]);
    });
  });
}
