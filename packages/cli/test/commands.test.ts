import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cli, type Given, type Ran } from "./cli.ts";
import { fillShop } from "./shop.ts";
import { stores, type TestStore } from "./stores.ts";

describe.each(stores)("on $name", ({ make, isMissing }) => {
  if (isMissing) return;
  let store: TestStore;
  let shop: Awaited<ReturnType<typeof fillShop>>;
  const on = async (args: readonly string[], given: Given = {}): Promise<Ran> =>
    await cli(["--store", store.url, ...args], given);
  const rowsOf = async (args: readonly string[]): Promise<readonly Record<string, unknown>[]> => {
    const { code, lines, err } = await on([...args, "--json"]);
    expect(code, err).toBe(0);
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };

  beforeAll(async () => {
    store = await make();
    shop = await fillShop(store);
  });
  afterAll(async () => {
    await shop.client.close();
    await store.close();
  });

  it("lists chains by type, status, error, tag and key", async () => {
    const ids = async (...args: string[]) => (await rowsOf(["chains", "list", ...args])).map(({ id }) => id);
    expect(await ids()).toHaveLength(8);
    expect(await ids("--limit", "3")).toHaveLength(3);
    expect(await ids("--status", "failed", "--all")).toEqual(shop.failed.map(({ id }) => id).toReversed());
    expect(await ids("--status", "failed", "--oldest", "--limit", "1")).toEqual([shop.failed[0]?.id]);
    expect(await ids("--error", "bad-2")).toEqual([shop.failed[1]?.id]);
    expect(await ids("--type", "order.place,order.approve")).toEqual([shop.waiting.id, shop.placed.id]);
    expect(await ids("--tag", "tenant=acme")).toEqual([shop.placed.id]);
    expect(await ids("--key", "o-1")).toEqual([shop.placed.id]);
    expect(await ids("--since", "1h")).toHaveLength(8);
    expect(await ids("--until", "1h")).toEqual([]);
  });

  it("prints payloads only if it is told to, without the values of redacted keys", async () => {
    const shown = await on(["chains", "show", shop.sent.id, "--json"]);
    expect(shown.out).not.toContain("hush-hush");
    expect(JSON.parse(shown.out)).not.toHaveProperty("input");
    const redacted = await on(["chains", "show", shop.sent.id, "--payloads", "--redact", "password", "--json"]);
    expect(JSON.parse(redacted.out)).toMatchObject({
      status: "completed",
      input: { to: "ada", password: "[redacted]" },
      output: { sent: true },
    });
  });

  it("shows a chain by the start of its id", async () => {
    const { out, code, err } = await on(["chains", "show", shop.placed.id.slice(0, 23)]);
    expect(code, err).toBe(0);
    expect(out).toContain(shop.placed.id);
    const ambiguous = await on(["chains", "show", shop.placed.id.slice(0, 8)]);
    expect(ambiguous).toMatchObject({ code: 1 });
    expect(ambiguous.err).toContain("ids begin with");
    expect((await on(["chains", "cancel", shop.ready.id.slice(0, 23)])).err).toContain("must be a UUID");
  });

  it("explains why a job does not run", async () => {
    const { items } = await shop.client.listChainJobs({ id: shop.later.id });
    const [explained] = await rowsOf(["jobs", "explain", items[0]?.id ?? ""]);
    expect(explained).toMatchObject({ status: "scheduled", typeName: "mail.send" });
    expect(explained?.["why"]).toContain("It is due at");
  });

  it("counts jobs by type", async () => {
    const [mails] = await rowsOf(["types"]);
    expect(mails).toMatchObject({ typeName: "mail.send", failed: 3, ready: 1, scheduled: 1, completed: 1, workers: 0 });
  });

  it("warns of ready jobs without a worker, which is an error with --strict", async () => {
    const found = (await on(["doctor", "--json"])).lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(found).toContainEqual(expect.objectContaining({ check: "workers", level: "yellow" }));
    expect(await on(["doctor", "--strict"])).toMatchObject({ code: 1 });
  });

  it("starts a chain from an argument, and many from lines with Windows line ends", async () => {
    const [one] = await rowsOf(["start", "mail.send", '{"to":"zoe"}', "--key", "zoe", "--tag", "tenant=z"]);
    expect(one).toMatchObject({ deduplicated: false, status: "active" });
    const [again] = await rowsOf(["start", "mail.send", '{"to":"zoe"}', "--key", "zoe"]);
    expect(again).toMatchObject({ id: one?.["id"], deduplicated: true });
    const many = await on(["start", "mail.send", "-"], { input: '{"to":"a"}\r\n{"to":"b"}\r\n' });
    expect(many).toMatchObject({ code: 0 });
    const { items } = await shop.client.listChains({ ids: many.lines });
    expect(items.map(({ input }) => input).toReversed()).toEqual([{ to: "a" }, { to: "b" }]);
    const ids = [String(one?.["id"]), ...many.lines];
    expect(await on(["chains", "cancel", ...ids, "--reason", "a test", "--yes"])).toMatchObject({
      code: 0,
      lines: ["cancelled: 3 chains"],
    });
    expect(await on(["chains", "delete", ...ids, "--yes"])).toMatchObject({ code: 0, lines: ["deleted: 3 chains"] });
  });

  it("sends a signal to the step that waits", async () => {
    const sent = await on(["signal", shop.waiting.id, "decision", '{"ok":true}', "--id", "s-1"]);
    expect(sent).toMatchObject({ code: 0, lines: ["taken"] });
    const again = await on(["signal", shop.waiting.id, "decision", '{"ok":true}', "--id", "s-1"]);
    expect(again.lines).toEqual(["deduplicated"]);
  });

  it("pauses and resumes job types", async () => {
    expect(await on(["types", "pause", "mail.send", "--reason", "provider is down", "--for", "1h"])).toMatchObject({
      code: 0,
    });
    const [mails] = await rowsOf(["types"]);
    expect(mails).toMatchObject({ paused: { reason: "provider is down" } });
    expect((await on(["types"], { columns: 120 })).out).toContain("yes, provider is down");
    expect(await on(["types", "resume", "mail.send"])).toMatchObject({ code: 0, lines: ["resumed: mail.send"] });
  });

  it("makes scheduled jobs ready", async () => {
    const { items } = await shop.client.listChainJobs({ id: shop.later.id });
    const id = items[0]?.id ?? "";
    expect(await on(["jobs", "trigger", id])).toMatchObject({ code: 0, lines: ["triggered: 1 job"] });
    expect(await on(["jobs", "trigger", id])).toMatchObject({ code: 1 });
    expect((await rowsOf(["jobs", "list", "--status", "ready"])).map((job) => job["id"])).toContain(id);
  });

  it("asks before it changes more than one chain, and takes only a yes", async () => {
    const refused = await on(["chains", "retry", "--status", "failed"], { replies: ["n"] });
    expect(refused).toMatchObject({ code: 1, questions: ["3 failed chains. Retry them? [y/N] "], out: "" });
    const noTerminal = await on(["chains", "retry", "--type", "mail.send", "--since", "2h"]);
    expect(noTerminal.err).toContain('no terminal to ask "3 failed chains of mail.send since 2h. Retry them?"');
    const done = await on(["chains", "retry", "--status", "failed"], { replies: ["y"] });
    expect(done).toMatchObject({ code: 0, lines: ["retried: 3 chains"] });
  });

  it("replaces the input of the step where a single chain stopped", async () => {
    const id = shop.failed[0]?.id ?? "";
    expect(await on(["chains", "cancel", id])).toMatchObject({ code: 0 });
    expect(await on(["chains", "retry", id, "--input", '{"to":"good"}'])).toMatchObject({ code: 0 });
    expect((await shop.client.getChain({ id }))?.status).toBe("active");
    const { items } = await shop.client.listChainJobs({ id });
    expect(items[0]?.input).toEqual({ to: "good" });
  });
});
