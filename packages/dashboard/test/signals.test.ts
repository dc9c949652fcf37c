import { createClient, createInProcessStateAdapter, createProcessors, createWorker, defineJobTypes } from "chainwright";
import { createVirtualClock } from "chainwright/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { createDashboardAt } from "../src/create-dashboard.ts";
import type { AuditEntry, Redact } from "../src/options.ts";
import type { ActionResponse, PreviewResponse } from "../src/protocol/actions.ts";
import type { ChainResponse, SignalsResponse } from "../src/protocol/reads.ts";
import { requestHeader } from "../src/protocol/routes.ts";

const jobTypes = defineJobTypes<{
  approve: { entry: true; input: null; signals: { approved: { by: string }; rejected: null }; output: string };
}>();

/** A chain that waits for an hour. */
async function createStage({ redact }: { readonly redact?: Redact } = {}) {
  const clock = createVirtualClock();
  const client = createClient({ stateAdapter: createInProcessStateAdapter({ clock }), jobTypes, clock, observers: [] });
  const audited: AuditEntry[] = [];
  const dashboard = createDashboardAt(
    {
      client,
      redact,
      authorize: (request) => ({ role: request.headers.get("x-test-role") === "viewer" ? "viewer" : "operator" }),
      audit: (entry) => void audited.push(entry),
    },
    clock,
  );
  const processors = createProcessors({
    client,
    jobTypes,
    processors: { approve: async ({ job: { received } }) => received?.signal ?? "late" },
  });
  const worker = createWorker({ client, processors: [processors] });
  await worker.start();
  onTestFinished(() => worker.stop());
  const { id } = await client.startChain({ typeName: "approve", input: null, waitUntil: { afterMs: 3_600_000 } });
  const fetch = async (path: string, init?: RequestInit) =>
    await dashboard.fetch(new Request(`http://localhost/-/${path}`, init));
  const read = async <Answer>(path: string) => (await (await fetch(path)).json()) as Answer;
  const post = async (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
    await fetch(path, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        origin: "http://localhost",
        [requestHeader]: "1",
        ...headers,
      },
      body: JSON.stringify(body),
    });
  return { client, clock, audited, id, read, post };
}

const signal = { typeName: "approve", signal: "approved", payload: { by: "Ada" } };

describe("a waiting step", () => {
  it("is shown with the moment until which it waits, and with the signals of its chain", async () => {
    const { client, clock, id, read } = await createStage();
    await client.signalChain({ id, typeName: "approve", signal: "approved", payload: { by: "Ada" } });
    const { lastStep, signals } = await read<ChainResponse>(`chain?id=${id}`);
    expect(lastStep?.status).toBe("ready");
    expect(signals.items).toMatchObject([
      { typeName: "approve", signal: "approved", payload: { value: { by: "Ada" } }, at: clock.now(), takenBy: id },
    ]);
    const other = await client.startChain({ typeName: "approve", input: null, waitUntil: { afterMs: 60_000 } });
    const waiting = await read<ChainResponse>(`chain?id=${other.id}`);
    expect(waiting.lastStep).toMatchObject({ status: "waiting", waitsUntil: clock.now() + 60_000 });
    expect(waiting.signals.items).toEqual([]);
  });

  it("gets a signal of an operator once the preview was confirmed, with an audit line", async () => {
    const { client, clock, audited, id, read, post } = await createStage();
    const body = { action: "send-signal", ids: [id], signal, reason: "by phone" };
    const preview = (await (await post("preview", body)).json()) as PreviewResponse;
    expect(preview).toMatchObject({ done: 1, refused: 0 });
    expect((await read<SignalsResponse>(`signals?id=${id}`)).items).toEqual([]);
    const acted = (await (await post("act", body)).json()) as ActionResponse;
    expect(acted).toMatchObject({ done: 1, refused: 0 });
    await clock.advance(1_000);
    expect(await client.getChain({ id })).toMatchObject({ status: "completed", output: "approved" });
    expect(audited).toMatchObject([{ action: "send-signal", ids: [id], done: [id], signal, reason: "by phone" }]);
  });

  it("gets none of a viewer, and none when its chain has ended", async () => {
    const { client, audited, id, post } = await createStage();
    const body = { action: "send-signal", ids: [id], signal };
    expect((await post("act", body, { "x-test-role": "viewer" })).status).toBe(403);
    await client.cancelChain({ id });
    const acted = (await (await post("act", body)).json()) as ActionResponse;
    expect(acted).toMatchObject({ done: 0, refused: 1, results: [{ id, ok: false, code: "chain-not-active" }] });
    expect(audited).toMatchObject([
      { role: "viewer", refused: [{ code: "forbidden" }] },
      { refused: [{ code: "chain-not-active" }] },
    ]);
  });

  it("shows payloads of signals as redact returns them", async () => {
    const redact: Redact = (value, { part }) => (part === "signal" ? "hidden" : value);
    const { client, id, read } = await createStage({ redact });
    await client.signalChain({ id, typeName: "approve", signal: "approved", payload: { by: "Ada" } });
    const { signals } = await read<ChainResponse>(`chain?id=${id}`);
    expect(signals.items).toMatchObject([{ payload: { value: "hidden" } }]);
    expect(JSON.stringify(await read<SignalsResponse>(`signals?id=${id}`))).not.toContain("Ada");
  });
});
