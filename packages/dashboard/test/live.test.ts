import { ChainwrightError } from "chainwright";
import { describe, expect, it } from "vitest";
import type { LiveEvent } from "../src/protocol/overview.ts";
import { onLook } from "./on-look.ts";
import { createStage, type Stage } from "./stage.ts";

/** Opens a stream; returns the received text and a function that disconnects. */
async function listen(stage: Stage, query = "", headers: Readonly<Record<string, string>> = {}) {
  const controller = new AbortController();
  const response = await stage.get(`-/events${query}`, { signal: controller.signal, headers });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  let ended = false;
  const pump = async (): Promise<void> => {
    for (;;) {
      const next = await reader?.read();
      if (next === undefined || next.done) break;
      text += next.value;
    }
    ended = true;
  };
  void pump();
  return {
    response,
    events: () => Array.from(text.matchAll(/^data: (.*)$/gm), ([, data]) => JSON.parse(data ?? "") as LiveEvent),
    text: () => text,
    hasEnded: () => ended,
    leave: () => controller.abort(),
  };
}

const typesOf = (events: readonly LiveEvent[]) => events.map(({ type }) => type);

describe("live events", () => {
  it("report the current state first, then only changes", async () => {
    const stage = await createStage();
    const ear = await listen(stage);
    await stage.clock.advance(10_000);
    expect(typesOf(ear.events())).toEqual(["overview", "changed"]);
    await stage.order("1");
    await stage.clock.advance(10_000);
    expect(typesOf(ear.events())).toEqual(["overview", "changed", "overview", "changed"]);
    expect(ear.events()[2]).toMatchObject({ totals: { ready: 1 } });
  });

  it("report a change between the load of a page and the first look at the store", async () => {
    const stage = await createStage();
    const { id } = await stage.client.startChain({ typeName: "mail.send", input: { to: "a" } });
    await stage.get("-/chains");
    const ear = await listen(stage);
    await stage.client.cancelChain({ id });
    await stage.clock.advance(5_000);
    expect(typesOf(ear.events())).toContain("changed");
  });

  it("report changes of watched chains only", async () => {
    const stage = await createStage();
    const watched = await stage.client.startChain({ typeName: "mail.send", input: { to: "a" } });
    const other = await stage.client.startChain({ typeName: "mail.send", input: { to: "b" } });
    const ear = await listen(stage, `?chain=${watched.id}`);
    await stage.clock.advance(5_000);
    await stage.client.cancelChain({ id: other.id });
    await stage.clock.advance(5_000);
    expect(typesOf(ear.events())).not.toContain("chain");
    await stage.client.cancelChain({ id: watched.id });
    await stage.clock.advance(5_000);
    await stage.client.deleteChain({ id: watched.id });
    await stage.clock.advance(5_000);
    expect(ear.events().filter(({ type }) => type === "chain")).toMatchObject([
      { id: watched.id, exists: true },
      { id: watched.id, exists: false },
    ]);
  });

  it("cost the same for one listener and for fifty", async () => {
    const stage = await createStage();
    let looks = 0;
    onLook(stage.client, async (count) => {
      looks += 1;
      return await count();
    });
    for (let listener = 0; listener < 50; listener += 1) await listen(stage);
    await stage.clock.advance(20_000);
    expect(looks).toBeLessThanOrEqual(11);
    expect(looks).toBeGreaterThan(5);
  });

  it("take at most a twentieth of the store's time: slow looks are made less often, also for pages", async () => {
    const stage = await createStage();
    let looks = 0;
    onLook(stage.client, async (count) => {
      looks += 1;
      await new Promise<void>((resolve) => void stage.clock.setTimer(resolve, 1_000));
      return await count();
    });
    await listen(stage);
    await stage.clock.advance(2_000);
    expect(looks).toBe(1);
    for (let second = 0; second < 15; second += 1) {
      await stage.clock.advance(1_000);
      for (const path of ["-/overview", "-/failed", "-/schedule"]) expect((await stage.get(path)).status).toBe(200);
    }
    expect(looks).toBe(1);
    await stage.clock.advance(60_000);
    expect(looks).toBeLessThanOrEqual(5);
    expect(looks).toBeGreaterThan(2);
  });

  it("tell that the store is away, once, also those who come later, and that it is back", async () => {
    const stage = await createStage();
    const ear = await listen(stage);
    await stage.clock.advance(4_000);
    const comeBack = onLook(stage.client, async () => {
      throw new ChainwrightError("store-unavailable", "connect ECONNREFUSED 10.0.0.7:5432");
    });
    await stage.clock.advance(10_000);
    const late = await listen(stage);
    const response = await stage.get("-/overview");
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({
      error: { code: "store-unavailable", message: "The database cannot be reached." },
    });
    comeBack();
    await stage.clock.advance(5_000);
    const told = (from: typeof ear) => from.events().flatMap((event) => (event.type === "store" ? [event.isAway] : []));
    expect([told(ear), told(late)]).toEqual([
      [true, false],
      [true, false],
    ]);
    expect(stage.failures.length).toBe(2);
  });

  it("leave nothing behind when the reader disconnects", async () => {
    const stage = await createStage();
    const ears = [await listen(stage), await listen(stage)];
    await stage.clock.advance(5_000);
    for (const ear of ears) ear.leave();
    await stage.clock.advance(5_000);
    expect(stage.clock.timers).toBe(0);
  });

  it("are refused to the hundred and first reader until one leaves", async () => {
    const stage = await createStage();
    const ears = [];
    for (let listener = 0; listener < 100; listener += 1) ears.push(await listen(stage));
    expect((await stage.get("-/events")).status).toBe(503);
    ears[0]?.leave();
    expect((await stage.get("-/events")).status).toBe(200);
  });

  it("disconnect a reader that reads nothing", async () => {
    const stage = await createStage();
    const response = await stage.get("-/events");
    for (let change = 0; change < 30; change += 1) {
      await stage.order(String(change));
      await stage.clock.advance(2_000);
    }
    await stage.clock.advance(5_000);
    const text = await response.text();
    expect(text.match(/^data: /gm)?.length ?? 0).toBeLessThan(30);
    expect(stage.clock.timers).toBe(0);
  });

  it("continue when an unavailable store is back, and the log reports the failure once", async () => {
    const stage = await createStage();
    const ear = await listen(stage);
    await stage.clock.advance(3_000);
    const comeBack = onLook(stage.client, async () => await Promise.reject(new Error("away")));
    await stage.clock.advance(20_000);
    comeBack();
    await stage.order("1");
    await stage.clock.advance(5_000);
    expect(stage.failures).toHaveLength(1);
    expect(ear.events().findLast(({ type }) => type === "overview")).toMatchObject({ totals: { ready: 1 } });
  });
});

describe("many live pages", () => {
  const named = (request: Request) => ({ role: "viewer" as const, name: request.headers.get("x-name") ?? undefined });
  const pageOf = async (stage: Stage, name: string, query = "") => await listen(stage, query, { "x-name": name });

  it("of one reader do not take the streams of others", async () => {
    const stage = await createStage({ authorize: named });
    const pages = [];
    for (let page = 0; page < 41; page += 1) pages.push(await pageOf(stage, "Mallory"));
    expect(pages.map(({ response }) => response.status)).toEqual([...Array.from({ length: 40 }, () => 200), 503]);
    expect((await pageOf(stage, "Ada")).response.status).toBe(200);
    pages[0]?.leave();
    expect((await pageOf(stage, "Mallory")).response.status).toBe(200);
  });

  it("of one reader do not keep others from hearing of their chains, and those that hear nothing are told so", async () => {
    const stage = await createStage({ authorize: named });
    const { id } = await stage.client.startChain({ typeName: "mail.send", input: { to: "a" } });
    const ada = await pageOf(stage, "Ada", `?chain=${id}`);
    const many = [];
    for (let page = 0; page < 11; page += 1) {
      const ids = Array.from({ length: 10 }, () => `chain=${crypto.randomUUID()}`);
      many.push(await pageOf(stage, "Mallory", `?${ids.join("&")}`));
    }
    await stage.clock.advance(10_000);
    await stage.client.cancelChain({ id });
    await stage.clock.advance(5_000);
    expect(typesOf(ada.events())).toContain("chain");
    expect(typesOf(ada.events())).not.toContain("watching");
    const [oldest] = many;
    expect(oldest?.events().filter(({ type }) => type === "watching")).toMatchObject([{ isLive: false }]);
    for (const page of many.slice(1)) page.leave();
    await stage.clock.advance(5_000);
    expect(oldest?.events().filter(({ type }) => type === "watching")).toMatchObject([
      { isLive: false },
      { isLive: true },
    ]);
  });

  it("end soon after their reader has signed out", async () => {
    let isSignedIn = true;
    const stage = await createStage({ authorize: () => (isSignedIn ? { role: "viewer" } : null) });
    const page = await listen(stage);
    await stage.clock.advance(60_000);
    expect(page.hasEnded()).toBe(false);
    isSignedIn = false;
    await stage.clock.advance(15_000);
    expect(page.hasEnded()).toBe(true);
  });
});
