import { expect, it } from "vitest";
import { createRig } from "../rig.ts";

it("triggers and deletes a job or chain once if a call names it twice, and reports it once", async () => {
  const { client, events } = createRig();
  const { id } = await client.startChain({ typeName: "a", input: 1, schedule: { afterMs: 1_000 } });
  const items = [{ id: String(id) }, { id: String(id).toUpperCase() }];
  await client.triggerJobs({ items });
  expect(await client.deleteChains({ items })).toEqual([id]);
  for (const type of ["job-triggered", "chain-deleted"])
    expect(events.all.filter((event) => event.type === type)).toHaveLength(1);
});

it("refuses to cancel or retry a chain that a call names twice, because the two items may disagree", async () => {
  const { client, start } = createRig();
  const items = [{ id: await start("a") }];
  const twice = { items: [...items, ...items] };
  await expect(client.cancelChains(twice)).rejects.toMatchObject({ code: "invalid-input" });
  await client.cancelChains({ items });
  await expect(client.retryChains(twice)).rejects.toMatchObject({ code: "invalid-input" });
});
