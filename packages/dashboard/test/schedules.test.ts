import { expect, it } from "vitest";
import type { ActionResponse, PreviewResponse } from "../src/protocol/actions.ts";
import type { RecurringResponse, SchedulesResponse } from "../src/protocol/schedules.ts";
import { textOf } from "./attack.ts";
import { createStage, read, type Stage } from "./stage.ts";

const id = "reminders";
const secret = "ada@example.com";

async function stageWithSchedule(options: Parameters<typeof createStage>[0] = {}): Promise<Stage> {
  const stage = await createStage(options);
  await stage.client.createSchedule({
    id,
    typeName: "mail.send",
    input: { to: secret },
    cron: "30 2 * * *",
    timeZone: "Europe/Vienna",
    overlap: "skip",
  });
  return stage;
}

async function act(stage: Stage, body: object): Promise<ActionResponse> {
  const response = await stage.post("-/act", body);
  expect(response.status).toBe(200);
  return (await response.json()) as ActionResponse;
}

const stored = async ({ client }: Stage) => (await client.listSchedules({ ids: [id] })).items[0];

it("schedules are listed with their pattern as written, their zone, their next run and their ticks", async () => {
  const stage = await stageWithSchedule();
  const dayMs = 24 * 3_600_000;
  const until = new Date(stage.clock.now());
  const { started } = await stage.client.backfillSchedule({ id, from: new Date(until.getTime() - dayMs), until });
  const { items } = await read<SchedulesResponse>(stage, "-/schedules");
  expect(items).toMatchObject([
    { id, typeName: "mail.send", cron: "30 2 * * *", timeZone: "Europe/Vienna", paused: false, missedCount: 0 },
  ]);
  expect(items[0]?.nextAt).toBe((await stored(stage))?.nextAt?.getTime());
  expect(started).toHaveLength(1);
  expect(items[0]?.ticks).toMatchObject([{ chainId: started[0]?.chainId }]);
  expect((await read<SchedulesResponse>(stage, "-/schedules?typeName=stock.reserve")).items).toEqual([]);
});

it("a schedule shows its next 10 runs, with a note on the day on which clocks change", async () => {
  const stage = await stageWithSchedule();
  await stage.client.updateSchedule({ id, startAt: new Date("2030-03-28T00:00:00Z") });
  const { runs, input } = await read<RecurringResponse>(stage, `-/recurring?id=${id}`);
  expect(runs).toHaveLength(10);
  expect(runs.filter(({ note }) => note !== undefined)).toEqual([
    { at: Date.parse("2030-03-31T01:00:00Z"), note: "moved out of a gap" },
  ]);
  expect(input).toMatchObject({ value: { to: secret } });
  expect((await stage.get("-/recurring?id=nothing")).status).toBe(404);
});

it("an operator pauses, resumes, triggers, edits and resets a schedule, and audit is told", async () => {
  const stage = await stageWithSchedule();
  const reason = "the mail provider is down";
  await act(stage, { action: "pause-schedule", ids: [id], reason });
  expect(await stored(stage)).toMatchObject({ paused: true, pausedReason: reason });
  await act(stage, { action: "resume-schedule", ids: [id] });
  expect(await stored(stage)).toMatchObject({ paused: false, pausedReason: undefined });
  await act(stage, { action: "trigger-schedule", ids: [id] });
  expect((await stage.client.listChains()).items).toMatchObject([{ typeName: "mail.send" }]);
  const ifRevision = (await stored(stage))?.revision;
  const times = { cron: "0 8 * * *", timeZone: "UTC" };
  await act(stage, { action: "edit-schedule", ids: [id], times, ifRevision });
  expect(await stored(stage)).toMatchObject(times);
  await act(stage, { action: "reset-schedule", ids: [id] });
  expect(await stored(stage)).toMatchObject({ cron: "30 2 * * *", timeZone: "Europe/Vienna" });
  await act(stage, { action: "delete-schedule", ids: [id] });
  expect(await stored(stage)).toBeUndefined();
  const names = ["pause-schedule", "resume-schedule", "trigger-schedule", "edit-schedule", "reset-schedule"];
  expect(stage.audited).toMatchObject(
    [...names, "delete-schedule"].map((action) => ({ name: "Ada", action, ids: [id], done: [id] })),
  );
  const edits = stage.audited.filter((entry) => entry.times !== undefined);
  expect(edits).toMatchObject([{ action: "edit-schedule", times: { timeZone: "UTC" } }]);
});

it("the preview of an edit shows the runs that would follow, and changes nothing", async () => {
  const stage = await stageWithSchedule();
  const before = await stored(stage);
  const body = { action: "edit-schedule", ids: [id], times: { cron: "0 8 * * *", timeZone: "UTC" } };
  const preview = (await (await stage.post("-/preview", body)).json()) as PreviewResponse;
  expect(preview).toMatchObject({ done: 1, refused: 0 });
  expect(preview.runs).toHaveLength(10);
  for (const { at } of preview.runs) expect(new Date(at).getUTCHours()).toBe(8);
  expect(await stored(stage)).toEqual(before);
  await stage.post("-/preview", { action: "trigger-schedule", ids: [id] });
  expect((await stage.client.listChains()).items).toEqual([]);
  expect(stage.audited).toEqual([]);
});

it("an edit is refused if its pattern is wrong or if someone else changed the schedule, and the message says why", async () => {
  const stage = await stageWithSchedule();
  const edit = (times: object, ifRevision?: number) => ({ action: "edit-schedule", ids: [id], times, ifRevision });
  const wrong = await act(stage, edit({ cron: "0 25 * * *" }));
  expect(wrong.results).toMatchObject([{ ok: false, code: "invalid-input", message: expect.stringContaining("25") }]);
  const stale = await act(stage, edit({ cron: "0 8 * * *" }, 99));
  expect(stale.results).toMatchObject([{ ok: false, code: "schedule-changed" }]);
  expect(stage.audited).toMatchObject([{ refused: [{ id }] }, { refused: [{ id }] }]);
  expect(stage.failures).toEqual([]);
});

it("one unknown schedule does not stop the action on the others, and none is triggered twice", async () => {
  const stage = await stageWithSchedule();
  const { results } = await act(stage, { action: "trigger-schedule", ids: [id, "nothing"] });
  expect(results).toMatchObject([{ ok: true }, { ok: false, code: "schedule-not-found" }]);
  expect((await stage.client.listChains()).items).toHaveLength(1);
});

it("a viewer changes no schedule, and an operator deletes none", async () => {
  const stage = await stageWithSchedule();
  const status = async (role: string, body: object) =>
    (await stage.post("-/act", body, { "x-test-role": role })).status;
  expect(await status("viewer", { action: "pause-schedule", ids: [id] })).toBe(403);
  expect(await status("operator", { action: "delete-schedule", ids: [id] })).toBe(403);
  expect(await status("operator", { action: "pause-schedule", ids: [id] })).toBe(200);
  expect(await stored(stage)).toMatchObject({ paused: true });
});

it("the input of a schedule is shown after redact", async () => {
  const stage = await stageWithSchedule({ redact: (value, { part }) => (part === "input" ? "hidden" : value) });
  for (const path of ["-/schedules", `-/recurring?id=${id}`])
    expect(await textOf(await stage.get(path)), path).not.toContain(secret);
  expect(await read<RecurringResponse>(stage, `-/recurring?id=${id}`)).toMatchObject({ input: { value: "hidden" } });
});
