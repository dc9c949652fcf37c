import { expect, it } from "vitest";
import { createRig } from "../rig.ts";

const nightly = { id: "nightly", typeName: "idle", input: null, cron: "0 2 * * *" } as const;

it.each(["created", "deleted"])(
  "applySchedules applies what is declared when another process %s it meanwhile",
  async (what) => {
    let meanwhile: (() => Promise<unknown>) | undefined;
    const { client, store } = createRig({
      between: (real) => ({
        changeSchedules: async (changes, options) => {
          const other = meanwhile;
          meanwhile = undefined;
          await other?.();
          return await real.changeSchedules(changes, options);
        },
      }),
    });
    const declared = { owner: "reports", schedules: [nightly] };
    if (what === "deleted") await client.applySchedules(declared);
    const changed = { owner: "reports", schedules: [{ ...nightly, cron: "0 3 * * *" }] };
    meanwhile = () =>
      what === "created" ? client.applySchedules(declared) : client.deleteSchedule({ id: nightly.id });
    await client.applySchedules(changed);
    const [found] = (await store.listSchedules({ after: undefined, limit: 10, order: "ascending" }, {})).schedules;
    expect(JSON.parse(found?.declared ?? "null")).toMatchObject({ rule: { cron: "0 3 * * *" } });
  },
);
