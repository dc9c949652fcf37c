import { describe, expect, it } from "vitest";
import type { Principal } from "../src/options.ts";
import type { ActResponse, SessionResponse } from "../src/protocol/actions.ts";
import { createStage, read } from "./stage.ts";

async function arrive(rights: Omit<Principal, "role">) {
  const stage = await createStage({ authorize: () => ({ role: "operator", name: "Ada", ...rights }) });
  const post = async (path: "act" | "preview", body: object) => {
    const response = await stage.post(`-/${path}`, body);
    return { status: response.status, body: (await response.json()) as ActResponse };
  };
  return { ...stage, stage, post };
}

describe("rights that are narrower than the role", () => {
  it("permit only the named actions, and the page offers only these", async () => {
    const { stage, client, post, audited } = await arrive({ actions: ["cancel", "delete"] });
    const { id } = await client.startChain({ typeName: "mail.send", input: { to: "a" } });
    expect((await read<SessionResponse>(stage, "-/session")).actions).toEqual(["cancel"]);
    for (const action of ["retry", "delete", "trigger"]) {
      expect((await post("act", { action, ids: [id] })).status).toBe(403);
      expect((await post("preview", { action, ids: [id] })).status).toBe(403);
    }
    expect((await post("act", { action: "cancel", ids: [id] })).body.done).toBe(1);
    expect(audited).toHaveLength(4);
  });

  it("refuse an edit of an input, and permit the retry", async () => {
    const { stage, post } = await arrive({ mayEditInputs: false });
    const { id } = await stage.order("1", 0);
    await stage.work();
    const edit = [{ op: "replace", path: "/cents", value: 1 }];
    expect((await post("act", { action: "retry", ids: [id], edit })).status).toBe(403);
    expect((await post("preview", { action: "retry", ids: [id], edit })).status).toBe(403);
    expect((await post("act", { action: "retry", ids: [id] })).body.done).toBe(1);
  });

  it("leave out the chains, jobs and types that are not theirs to act on, and the audit is told", async () => {
    const mayActOn: Principal["mayActOn"] = ({ typeName, tags }) => typeName !== "mail.send" || tags["tenant"] === "a";
    const { client, post, audited } = await arrive({ mayActOn });
    const start = async (tenant: string, schedule?: { afterMs: number }) =>
      (await client.startChain({ typeName: "mail.send", input: { to: "x" }, tags: { tenant }, schedule })).id;
    const [mine, other] = [await start("a"), await start("b")];
    const both = { action: "cancel", ids: [mine, other] };
    const preview = (await post("preview", both)).body;
    expect(preview.results.map(({ ok, code }) => [ok, code])).toEqual([
      [true, undefined],
      [false, "forbidden"],
    ]);
    expect((await post("act", both)).body).toMatchObject({ done: 1, refused: 1 });
    expect((await client.getChain({ id: other }))?.status).toBe("active");
    expect(audited).toMatchObject([{ done: [mine], refused: [{ id: other, code: "forbidden" }] }]);

    const [later, otherLater] = [await start("a", { afterMs: 60_000 }), await start("b", { afterMs: 60_000 })];
    const triggered = await post("act", { action: "trigger", ids: [later, otherLater] });
    expect(triggered.body).toMatchObject({ done: 1, refused: 1 });
    const paused = await post("act", { action: "pause", ids: ["order.charge", "mail.send"] });
    expect(paused.body).toMatchObject({ done: 1, refused: 1 });
    expect((await client.listPausedTypes()).map(({ typeName }) => typeName)).toEqual(["order.charge"]);
  });
});
