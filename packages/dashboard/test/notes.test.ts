import { describe, expect, it, onTestFinished } from "vitest";
import type { Redact } from "../src/options.ts";
import type { NotesResponse } from "../src/protocol/notes.ts";
import type { LiveEvent } from "../src/protocol/overview.ts";
import type { ChainResponse, ChainsResponse } from "../src/protocol/reads.ts";
import { createImportStage } from "./import-stage.ts";

async function arrive(options: { readonly redact?: Redact; readonly onNotesRead?: () => void } = {}) {
  const stage = await createImportStage(options);
  onTestFinished(() => stage.close());
  const start = async (file: string) =>
    (await stage.client.startChain({ typeName: "customers.import", input: { file, parts: 40 } })).id;
  const fetch = async (path: string) => await stage.dashboard.fetch(new Request(`http://localhost/-/${path}`));
  const read = async <Answer>(path: string) => (await (await fetch(path)).json()) as Answer;
  return { ...stage, start, read, fetch };
}

describe("what a handler notes", () => {
  it("is shown with its step: progress, checkpoint, results of once and the log", async () => {
    const { clock, start, read } = await arrive();
    const id = await start("may");
    await clock.advance(10_500);
    const notes = await read<NotesResponse>(`notes?id=${id}`);
    expect(notes.progress).toMatchObject({ share: 0.25, text: "5000 of 20000", attempt: 1 });
    expect(notes.checkpoint?.value).toMatchObject({ kind: "value", value: { offset: 5_000, file: "may" } });
    expect(notes.memos.map(({ name, value }) => [name, value.kind === "value" && value.value])).toEqual([
      ["count-rows", 20_000],
      ["create-table", { table: "staging_may" }],
    ]);
    expect(notes.lines.map(({ level, message }) => `${level} ${message}`).slice(0, 3)).toEqual([
      "info import of may begins",
      "debug part 1 of 40",
      "debug part 2 of 40",
    ]);
    expect((await read<ChainResponse>(`chain?id=${id}`)).lastStep?.progress?.share).toBe(0.25);
  });

  it("is found in the log by its level and its text", async () => {
    const { clock, start, read } = await arrive();
    const id = await start("may");
    await clock.advance(12_500);
    const messages = async (query: string) =>
      (await read<NotesResponse>(`notes?id=${id}&${query}`)).lines.map(({ level }) => level);
    expect(await messages("level=warn")).toEqual(["warn", "error", "warn"]);
    expect(await messages("level=error")).toEqual(["error"]);
    expect(await messages("text=POSTCODE")).toEqual(["warn", "warn"]);
    expect(await messages("text=staging_may")).toEqual(["info"]);
    expect(await messages("text=nothing")).toEqual([]);
  });

  it("is redacted part by part, and a search finds nothing that is hidden", async () => {
    const parts: string[] = [];
    const redact: Redact = (value, { part, name }) => {
      if (["progress", "checkpoint", "memo", "log"].includes(part)) parts.push(name ?? part);
      if (part === "checkpoint" || name === "create-table") return "hidden";
      if (part === "progress") return { percent: 1 };
      return part === "log" ? { message: "a line", data: undefined } : value;
    };
    const { clock, start, read } = await arrive({ redact });
    const id = await start("secret");
    await clock.advance(5_500);
    const notes = await read<NotesResponse>(`notes?id=${id}`);
    expect(JSON.stringify({ ...notes, id: "" })).not.toContain("secret");
    expect(notes.progress?.share).toBe(0.01);
    expect(new Set(parts)).toEqual(new Set(["progress", "checkpoint", "create-table", "count-rows", "log"]));
    expect((await read<NotesResponse>(`notes?id=${id}&text=secret`)).lines).toEqual([]);
    expect((await read<NotesResponse>(`notes?id=${id}&text=line`)).lines.length).toBeGreaterThan(0);
    expect((await read<ChainsResponse>("chains")).items[0]?.current?.progress?.share).toBe(0.01);
  });

  it("is one read for all jobs of a list, and none for a while where no job of a type noted anything", async () => {
    let reads = 0;
    const { clock, client, start, read } = await arrive({ onNotesRead: () => (reads += 1) });
    await client.startChains({
      items: Array.from({ length: 20 }, (_, n) => ({ typeName: "mail.send" as const, input: { to: `${n}` } })),
    });
    await clock.advance(1_000);
    const readsOf = async (path: string) => {
      const before = reads;
      await read(path);
      return reads - before;
    };
    expect(await readsOf("chains")).toBe(1);
    expect([await readsOf("chains"), await readsOf("chains?step=running")]).toEqual([0, 0]);
    for (const file of ["a", "b", "c"]) await start(file);
    await clock.advance(4_500);
    expect(await readsOf("chains")).toBe(1);
    const { items } = await read<ChainsResponse>("chains?typeName=customers.import");
    expect(items.map(({ current }) => current?.progress?.share)).toEqual([0.1, 0.1, 0.1]);
  });

  it("goes to open pages over the stream of events: the progress of listed jobs, and changes of a chain's notes", async () => {
    const { clock, start, fetch } = await arrive();
    const id = await start("may");
    await clock.advance(1_500);
    const response = await fetch(`events?job=${id}&chain=${id}`);
    const events: LiveEvent[] = [];
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    const pump = async (): Promise<void> => {
      for (let next = await reader?.read(); next !== undefined && !next.done; next = await reader?.read()) {
        events.push(
          ...Array.from(next.value.matchAll(/^data: (.*)$/gm), ([, data]) => JSON.parse(data ?? "") as LiveEvent),
        );
      }
    };
    void pump();
    onTestFinished(async () => await reader?.cancel());
    await clock.advance(10_000);
    const shares = events.flatMap((event) => (event.type === "progress" ? [event.progress[id]?.share] : []));
    expect(shares.length).toBeGreaterThan(3);
    expect(shares).toEqual(shares.toSorted((left = 0, right = 0) => left - right));
    expect(events.filter(({ type }) => type === "chain").length).toBeGreaterThan(3);
  });

  it("is listed for one worker: the chains whose steps it runs", async () => {
    const { client, clock, start, read } = await arrive();
    const ids = [await start("a"), await start("b")];
    await clock.advance(1_500);
    const [worker] = await client.listWorkers();
    const listed = async (id: string) =>
      (await read<ChainsResponse>(`chains?step=running&worker=${id}`)).items.map((chain) => chain.id);
    expect((await listed(worker?.id ?? "")).toSorted()).toEqual(ids.toSorted());
    expect(await listed("another")).toEqual([]);
    expect((await read<ChainsResponse>(`chains?worker=${worker?.id}`)).items).toHaveLength(2);
  });

  it("is refused for a job that there is not", async () => {
    const { fetch } = await arrive();
    expect((await fetch(`notes?id=${crypto.randomUUID()}`)).status).toBe(404);
    expect((await fetch("notes?id=x")).status).toBe(400);
  });
});
