import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cli } from "./cli.ts";
import { fillShop } from "./shop.ts";
import { stores, type TestStore } from "./stores.ts";

describe.each(stores)("a dry run on $name", ({ make, isMissing }) => {
  if (isMissing) return;
  let store: TestStore;
  let shop: Awaited<ReturnType<typeof fillShop>>;
  let jobId: string;

  beforeAll(async () => {
    store = await make();
    shop = await fillShop(store);
    await shop.client.createSchedule({ id: "nightly", typeName: "mail.send", input: { to: "all" }, cron: "0 3 * * *" });
    await shop.client.pauseJobTypes({ typeNames: ["order.place"] });
    jobId = (await shop.client.listChainJobs({ id: shop.later.id })).items[0]?.id ?? "";
  });
  afterAll(async () => {
    await shop.client.close();
    await store.close();
  });

  it("changes no row of any table", async () => {
    const failed = shop.failed.map(({ id }) => id);
    const commands: readonly (readonly string[])[] = [
      ["chains", "cancel", "--status", "active"],
      ["chains", "cancel", shop.ready.id],
      ["chains", "retry", ...failed],
      ["chains", "retry", failed[0] ?? "", "--input", '{"to":"x"}'],
      ["chains", "delete", "--status", "failed", "--cascade"],
      ["jobs", "trigger", jobId],
      ["types", "pause", "mail.send", "--reason", "x"],
      ["types", "resume", "order.place"],
      ["schedules", "pause", "nightly"],
      ["schedules", "trigger", "nightly"],
      ["schedules", "delete", "nightly"],
      ["start", "mail.send", '{"to":"x"}'],
      ["signal", shop.waiting.id, "decision", '{"ok":false}'],
    ];
    const all = [
      ...commands.map((args) => ({ args, said: /^would be / })),
      { args: ["migrate"], said: /^$/ },
      { args: ["doctor", "--repair"], said: /schema/ },
    ];
    for (const { args, said } of all) {
      const before = await store.dump();
      const ran = await cli(["--store", store.url, ...args, "--dry-run"]);
      expect(ran.out, `${args.join(" ")}: ${ran.err}`).toMatch(said);
      expect(await store.dump(), args.join(" ")).toEqual(before);
    }
  });

  it("says how many chains would be done and which would be refused", async () => {
    const ran = await cli(["--store", store.url, "chains", "cancel", shop.ready.id, shop.sent.id, "--dry-run"]);
    expect(ran.code).toBe(1);
    expect(ran.lines).toEqual([
      expect.stringContaining(`${shop.sent.id}\tchain-not-active`),
      "would be cancelled: 1 chain; refused: 1",
    ]);
  });
});
