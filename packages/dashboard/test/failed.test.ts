import { describe, expect, it } from "vitest";
import { foldMessage } from "../src/reads/fold-message.ts";
import { ownFrame } from "../src/reads/own-frame.ts";
import type { ChainsResponse, FailedResponse } from "../src/protocol/reads.ts";
import { createStage, read } from "./stage.ts";

describe("a message of a failure", () => {
  it.each([
    ["req_000000018b44a timed out", "req_00000002ffe19 timed out"],
    ["session sess-ab12 of 0x7ffe expired", "session sess-9f of 0x1234ab expired"],
    ["blob bWVzc2FnZTE9== was refused: 17 bytes", "blob c2Vjb25kMg+/A== was refused: 90 bytes"],
    ["user ada@example.com is unknown", "user grace@example.org is unknown"],
    [`key "a" and 'b'`, `key "c" and 'd'`],
    ["can't read 'Ada's list', won't retry", "can't read 'Bob's list', won't retry"],
    ["chain 01a1f84a-95c0-7001-be74-7d23673f277d is gone", "chain 7d23673f-95c0-7001-be74-01a1f84a277d is gone"],
  ])("is of the kind of another one that differs only in ids: %s", (one, other) => {
    expect(foldMessage(one)).toBe(foldMessage(other));
  });

  it.each([
    ["card 12 was declined", "card 12 was accepted"],
    ["order.charge failed", "order.ship failed"],
    ["can't charge: the card was declined, won't retry", "can't charge: the bank is closed, won't retry"],
  ])("is of another kind if its words differ: %s", (one, other) => {
    expect(foldMessage(one)).not.toBe(foldMessage(other));
  });

  it.each(["a", "=", "@", " '", " 'a", "'a", `"`, "a@", "1", "1="])(
    "is folded in a time that grows with its length and not with its square: many of %j",
    (part) => {
      // With the square of the length this would take minutes.
      expect(foldMessage(part.repeat(500_000)).length).toBeGreaterThan(0);
    },
  );
});

describe("the place of a failure", () => {
  it("is the first frame of the application's own code, without its line", () => {
    const stack = [
      "Error: x",
      "    at fail (/app/node_modules/pg/lib/client.js:10:5)",
      "    at process.processTicksAndRejections (node:internal/process/task_queues:103:5)",
      "    at async Promise.all (index 3)",
      "    at async chargeCard (/app/src/charge.ts:42:11)",
      "    at async other (/app/src/other.ts:1:1)",
    ].join("\n");
    expect(ownFrame(stack)).toBe("chargeCard (charge.ts)");
    expect(ownFrame("Error: x\n    at file:///app/src/main.ts:3:9")).toBe("main.ts");
    expect(ownFrame("Error: x\n    at fail (/app/node_modules/pg/client.js:1:1)")).toBe(undefined);
    expect(ownFrame(undefined)).toBe(undefined);
  });

  it("is none of the lines of the message, however it begins", () => {
    const stack = "Error: no room\nat table 7\n    at seat (/app/src/seat.ts:1:1)";
    expect(ownFrame(stack)).toBe("seat (seat.ts)");
  });
});

describe("failed groups", () => {
  it("count whole groups, those of the last hour alone, and give all ids of one by its key", async () => {
    const stage = await createStage();
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
    expect(hour.groups[0]?.chainIds).toHaveLength(500);

    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const from = cursor === undefined ? "" : `&cursor=${cursor}`;
      const page = await read<FailedResponse>(stage, `-/failed?since=${since}&group=${all.groups[0]?.key}${from}`);
      ids.push(...page.groups.flatMap(({ chainIds }) => chainIds));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(ids.toSorted()).toEqual(late.toSorted());
    expect(ids).not.toContain(early.id);
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
