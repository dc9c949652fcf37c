import { expect, it } from "vitest";
import type { JobResponse } from "../src/protocol/reads.ts";
import { createIndexingStage } from "./indexing-stage.ts";

it("a failed attempt of a batch has its size, and its other jobs with what became of them", async () => {
  const { client, dashboard, ids } = await createIndexingStage();
  const poison = ids[7] ?? "";
  const read = async () => {
    const response = await dashboard.fetch(new Request(`http://localhost/-/job?id=${poison}`));
    expect(response.status).toBe(200);
    return (await response.json()) as JobResponse;
  };
  const { job, batchJobs } = await read();
  expect(job.status).toBe("failed");
  expect(job.errors[0]?.batch).toEqual({ size: 32, halvings: 0, others: ids.slice(8, 18) });
  expect(job.errors.at(-1)?.batch).toEqual({ size: 1, halvings: 5, others: [] });
  const known = new Map(batchJobs.map((each) => [each.id, each]));
  for (const id of job.errors[0]?.batch?.others ?? []) expect(known.get(id)).toMatchObject({ status: "completed" });
  const [found] = (await client.listJobs({ ids: [poison] })).items;
  const explained = found && (await client.explainJob({ id: found.id }));
  expect(explained?.summary).toContain("It was alone in its batch after 5 halvings.");

  await client.deleteChains({ items: [{ id: ids[8] ?? "" }] });
  expect((await read()).batchJobs).toHaveLength(batchJobs.length - 1);
});
