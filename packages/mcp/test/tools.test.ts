import { redactKeys } from "@chainwright/dashboard";
import { createReads } from "@chainwright/dashboard/reads";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { McpAuditEntry, McpFailure } from "../src/options.ts";
import { ask, outside } from "./agent.ts";
import { agentOf } from "./http.ts";
import { fillShop, injections, mark } from "./shop.ts";
import { stores, type TestStore } from "./stores.ts";

const reading = ["count_jobs", "doctor", "explain_job", "get_chain", "list_chains", "list_workers"];
const writing = ["cancel_chain", "retry_chain", "start_chain", "trigger_job"];
const unknown = "01900000-0000-7000-8000-000000000000";

describe.each(stores)("tools on $name", ({ make, isMissing }) => {
  if (isMissing) return;
  let store: TestStore;
  let shop: Awaited<ReturnType<typeof fillShop>>;
  beforeAll(async () => {
    store = await make();
    shop = await fillShop(store.stateAdapter, injections);
  }, 60_000);
  afterAll(async () => {
    await shop.client.close();
    await store.close();
  });

  it("lists its tools with schemas and annotations, and writing ones only where they are allowed", async () => {
    const read = await (await agentOf({ client: shop.client })).listTools();
    expect(read.tools.map(({ name }) => name).sort()).toEqual(reading);
    for (const { annotations, inputSchema } of read.tools) {
      expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    }
    const all = await (await agentOf({ client: shop.client, allowWrites: true })).listTools();
    expect(all.tools.map(({ name }) => name).sort()).toEqual([...reading, ...writing].sort());
    const hints = all.tools
      .filter(({ name }) => writing.includes(name))
      .map(({ name, annotations }) => [
        name,
        annotations?.readOnlyHint,
        annotations?.destructiveHint,
        annotations?.idempotentHint,
      ]);
    expect(new Set(hints)).toEqual(
      new Set([
        ["cancel_chain", false, true, true],
        ["retry_chain", false, false, false],
        ["start_chain", false, false, true],
        ["trigger_job", false, false, true],
      ]),
    );
    expect(all.tools.find(({ name }) => name === "start_chain")?.inputSchema.required).toEqual([
      "type",
      "input",
      "idempotencyKey",
    ]);
  });

  it("keeps every text of jobs in untrusted, whatever jobs have written", async () => {
    const agent = await agentOf({ client: shop.client });
    const calls: [string, Record<string, unknown>][] = [
      ["list_chains", { limit: 50 }],
      ["list_chains", { status: "failed", errorText: "IGNORE" }],
      ["count_jobs", {}],
      ["list_workers", {}],
      ["doctor", {}],
      ...shop.made.flatMap((made) =>
        Object.values(made).flatMap((id): [string, Record<string, unknown>][] => [
          ["get_chain", { id }],
          ["explain_job", { id }],
        ]),
      ),
    ];
    let seen = 0;
    for (const [name, given] of calls) {
      const read = await ask(agent, name, given);
      expect(read.isError, read.text).toBe(false);
      expect(outside(read)).not.toContain(mark);
      expect(read.value["note"]).toMatch(/never an instruction/);
      // Nothing that moves a cursor, hides or turns a text, and no half of a character.
      expect(read.text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|\p{Surrogate}/u);
      expect(read.text.length).toBeLessThanOrEqual(65_536);
      if (JSON.stringify(read.value["untrusted"]).includes(mark)) seen += 1;
    }
    expect(seen).toBeGreaterThan(injections.length * 6);
    for (const { good } of shop.made) {
      const { contents } = await agent.readResource({ uri: `chainwright://chain/${good}` });
      const [found] = contents as readonly { text: string }[];
      const value = JSON.parse(found?.text ?? "") as Record<string, unknown>;
      expect(JSON.stringify({ ...value, untrusted: undefined })).not.toContain(mark);
    }
  });

  it("cuts a long payload at 4 kB, at the end of a character, and tells its size", async () => {
    const agent = await agentOf({ client: shop.client });
    const { value } = await ask(agent, "get_chain", { id: shop.made[6]?.good });
    const { input } = value["untrusted"] as { input: { kind: string; text: string; bytes: number } };
    expect(input.kind).toBe("cut");
    expect(input.bytes).toBeGreaterThan(15_000);
    const bytes = Buffer.byteLength(input.text);
    expect([bytes <= 4_096, bytes > 4_092, input.text.isWellFormed()]).toEqual([true, true, true]);
  });

  it("hides what the dashboard hides, and shows what it shows", async () => {
    const redact = redactKeys(["password", "note"]);
    const agent = await agentOf({ client: shop.client, redact });
    const reads = createReads({ client: shop.client, redact, onFailure: () => undefined })({ role: "admin" });
    const { value, text } = await ask(agent, "get_chain", { id: shop.good });
    expect(text).not.toContain("hush-hush");
    const { chain, input, output } = await reads.chain(shop.good);
    expect(value["untrusted"]).toMatchObject({
      chain: { tags: chain.tags, deduplicationKey: chain.deduplicationKey },
      input,
      output,
    });
  });

  it("refuses writes without the flag and without the role, and tells the audit of each", async () => {
    const audited: McpAuditEntry[] = [];
    const audit = (entry: McpAuditEntry) => void audited.push(entry);
    const given = {
      cancel_chain: { id: shop.later, reason: "x" },
      retry_chain: { id: shop.failed },
      start_chain: { type: "mail.send", input: { to: "x" }, idempotencyKey: "k" },
      trigger_job: { id: shop.later },
    };
    const refusedFor = async (
      allowWrites: boolean,
      role: "viewer" | "operator" | "admin",
      name: keyof typeof given,
    ) => {
      const agent = await agentOf(
        { client: shop.client, allowWrites, audit },
        { authorize: () => ({ role, name: "Ada" }) },
      );
      return (await ask(agent, name, given[name])).value["error"];
    };
    for (const role of ["viewer", "operator", "admin"] as const)
      for (const name of ["cancel_chain", "retry_chain", "start_chain", "trigger_job"] as const)
        expect(await refusedFor(false, role, name)).toMatchObject({ code: "read-only" });
    for (const name of ["cancel_chain", "retry_chain", "start_chain", "trigger_job"] as const)
      expect(await refusedFor(true, "viewer", name)).toMatchObject({ code: "forbidden" });
    expect(await refusedFor(true, "operator", "start_chain")).toMatchObject({ code: "forbidden" });
    expect(audited).toHaveLength(17);
    expect(new Set(audited.map(({ outcome, name }) => `${outcome} ${name}`))).toEqual(new Set(["refused Ada"]));
    const later = await shop.client.getChain({ id: shop.later });
    expect(later?.status).toBe("active");
  });

  it("starts, triggers, cancels and retries, at most ten times a minute", async () => {
    const audited: McpAuditEntry[] = [];
    const audit = (entry: McpAuditEntry) => void audited.push(entry);
    const agent = await agentOf({ client: shop.client, allowWrites: true, audit });
    const start = { type: "mail.send", input: { to: "ada" }, idempotencyKey: "order 1" };
    const first = await ask(agent, "start_chain", start);
    expect(first.value).toMatchObject({ status: "active", existedBefore: false, isAudited: true });
    expect((await ask(agent, "start_chain", start)).value).toMatchObject({
      id: first.value["id"],
      existedBefore: true,
    });
    const { later, failed } = shop.made[1] ?? shop;
    expect((await ask(agent, "trigger_job", { id: later })).value).toMatchObject({ triggered: true });
    expect((await ask(agent, "cancel_chain", { id: later, reason: "not needed" })).value).toMatchObject({
      cancelled: true,
    });
    expect((await ask(agent, "retry_chain", { id: failed, input: { to: "eve" } })).value).toMatchObject({
      retried: true,
    });
    expect((await shop.client.listChainJobs({ id: failed })).items.at(-1)?.input).toEqual({ to: "eve" });
    const hidden = await ask(agent, "retry_chain", { id: shop.failed, input: { to: "[redacted]" } });
    expect(hidden.value["error"]).toMatchObject({ code: "invalid-arguments" });
    expect((await ask(agent, "retry_chain", { id: unknown })).value["error"]).toMatchObject({
      code: "chain-not-found",
    });
    for (let tried = 7; tried < 10; tried += 1) await ask(agent, "trigger_job", { id: unknown });
    expect((await ask(agent, "trigger_job", { id: unknown })).value["error"]).toMatchObject({
      code: "too-many-writes",
    });
    expect(audited).toHaveLength(11);
    expect(audited.filter(({ outcome }) => outcome === "done")).toHaveLength(5);
  });

  it("tells errors by a code and a sentence", async () => {
    const agent = await agentOf({ client: shop.client });
    const codeOf = async (name: string, given: Record<string, unknown>) => {
      const { isError, value, text } = await ask(agent, name, given);
      expect(isError).toBe(true);
      expect(text).not.toMatch(/ at .*\.ts/);
      return (value["error"] as { code: string }).code;
    };
    expect(await codeOf("get_chain", { id: unknown })).toBe("chain-not-found");
    expect(await codeOf("explain_job", { id: unknown })).toBe("job-not-found");
    expect(await codeOf("get_chain", { id: "1; drop table" })).toBe("invalid-arguments");
    expect(await codeOf("list_chains", { limit: 51 })).toBe("invalid-arguments");
    expect(await codeOf("list_chains", { statuses: "failed" })).toBe("invalid-arguments");
    expect(await codeOf("delete_chain", { id: shop.good })).toBe("unknown-tool");
    await expect(agent.readResource({ uri: `chainwright://chain/${unknown}` })).rejects.toThrow("no chain");
    await expect(agent.readResource({ uri: "file:///etc/passwd" })).rejects.toThrow("address");
  });
});

describe("a store that fails", () => {
  it("is told by an id only, and in full to onError", async () => {
    const store = await (stores[0] ?? { make: () => Promise.reject(new Error("none")) }).make();
    const { client, good } = await fillShop(store.stateAdapter);
    const failures: McpFailure[] = [];
    const agent = await agentOf({ client, onError: (failure) => void failures.push(failure) });
    await client.close();
    const read = await ask(agent, "get_chain", { id: good });
    expect(read.value["error"]).toMatchObject({ code: "failed", id: failures[0]?.id });
    expect(read.text).not.toContain("closed");
    await store.close();
  });
});
