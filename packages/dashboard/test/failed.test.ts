import { createInProcessStateAdapter } from "chainwright";
import { describe, expect, it } from "vitest";
import type { ChainsResponse, FailedResponse } from "../src/protocol/reads.ts";
import { createStage, read } from "./stage.ts";

describe("failed groups", () => {
  it.each([
    ["as the store counts", undefined, 1],
    ["as the reader sees them", (value: unknown) => value, 500],
  ])(
    "count whole groups %s, those of the last hour alone, and give all ids of one by its key",
    async (_, redact, first) => {
      const stage = await createStage(redact === undefined ? {} : { redact });
      const early = await stage.order("0", 0);
      await stage.work();
      await stage.clock.advance(2 * 3_600_000);
      const since = stage.clock.now() - 3_600_000;
      const late: string[] = [];
      for (let n = 0; n < 620; n += 1) late.push((await stage.order(`late-${n}`, 0)).id);
      await stage.work();

      const all = await read<FailedResponse>(stage, "-/failed");
      expect(all.groups.map(({ count }) => count)).toEqual([621]);
      expect(all.groups[0]?.frame).toMatch(/stage\.ts/);
      const hour = await read<FailedResponse>(stage, `-/failed?since=${since}`);
      expect(hour.groups.map(({ count }) => count)).toEqual([620]);
      expect(hour.groups[0]?.chainIds).toHaveLength(first);

      const ids: string[] = [];
      let cursor: string | undefined;
      do {
        const from = cursor === undefined ? "" : `&cursor=${cursor}`;
        const page = await read<FailedResponse>(stage, `-/failed?since=${since}&group=${all.groups[0]?.key}${from}`);
        expect(page.groups[0]?.chainIds.length).toBeLessThanOrEqual(500);
        ids.push(...page.groups.flatMap(({ chainIds }) => chainIds));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      expect(ids.toSorted()).toEqual(late.toSorted());
      expect(ids).not.toContain(early.id);
    },
  );

  it("are counted by reading where the store does not keep the kinds of failures", async () => {
    const stage = await createStage({}, (options) => {
      const { groupFailures: _, ...store } = createInProcessStateAdapter(options);
      return store;
    });
    for (let n = 0; n < 3; n += 1) await stage.order(String(n), 0);
    await stage.work();
    const { groups } = await read<FailedResponse>(stage, "-/failed");
    expect(groups).toMatchObject([{ count: 3, chainIds: { length: 3 } }]);
    const page = await read<FailedResponse>(stage, `-/failed?group=${groups[0]?.key}`);
    expect(page.groups).toEqual(groups);
  });

  it("are not parted by long messages: neither by ids of different lengths nor by the length of the message", async () => {
    const stage = await createStage();
    const words = " of the list".repeat(600);
    for (const id of ["7", "7777777"]) {
      await stage.order(`${id} `.repeat(45), 0);
      await stage.order(`${id}${words}`, 0);
    }
    await stage.work();
    const { groups } = await read<FailedResponse>(stage, "-/failed");
    expect(groups.map(({ count }) => count)).toEqual([2, 2]);
    for (const { message, frame } of groups) {
      expect(message.length).toBeLessThanOrEqual(301);
      expect(frame).toMatch(/stage\.ts/);
    }
  });
});

describe("chains by the step where they are", () => {
  it("are found by its status and its type, with the step and a line of its input", async () => {
    const stage = await createStage();
    const broken = await stage.order("1", 0);
    const paid = await stage.order("2");
    await stage.work();
    const ready = await stage.order("3");
    const later = await stage.client.startChain({
      typeName: "mail.send",
      input: { to: "ada@example.com" },
      schedule: { afterMs: 60_000 },
    });
    const ids = async (query: string) =>
      (await read<ChainsResponse>(stage, `-/chains?${query}`)).items.map(({ id }) => id);
    expect(await ids("step=ready")).toEqual([ready.id]);
    expect(await ids("step=scheduled")).toEqual([later.id]);
    expect(await ids("step=running")).toEqual([]);
    expect((await ids("step=ready&step=scheduled")).toSorted()).toEqual([ready.id, later.id].toSorted());
    expect(await ids("stepType=order.charge&status=failed")).toEqual([broken.id]);
    expect((await ids("stepType=order.charge")).toSorted()).toEqual([broken.id, paid.id].toSorted());
    expect(await ids("stepType=order.place")).toEqual([ready.id]);
    expect(await ids("step=ready&typeName=mail.send")).toEqual([]);
    expect(await ids(`step=ready&id=${ready.id}`)).toEqual([ready.id]);
    const { items } = await read<ChainsResponse>(stage, `-/chains?stepType=order.charge&status=failed`);
    expect(items[0]?.current).toMatchObject({ typeName: "order.charge", step: 2, status: "failed", attempt: 1 });
    expect(items[0]?.current?.inputLine).toBe("orderId 1 \u00b7 cents 0 \u00b7 card 4000-0000-0000-0002");
  });

  it("are found page by page, each once", async () => {
    const stage = await createStage();
    const started: string[] = [];
    for (let n = 0; n < 25; n += 1) started.push((await stage.order(String(n))).id);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const from = cursor === undefined ? "" : `&cursor=${cursor}`;
      const page = await read<ChainsResponse>(stage, `-/chains?step=ready&limit=10${from}`);
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(started.toReversed());
  });
});
