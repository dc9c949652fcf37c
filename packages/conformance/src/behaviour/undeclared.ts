import { createClient, defineJobTypes } from "chainwright";
import { equal, match, only, present, rejectsWith } from "../check.ts";
import { behaviours } from "./group.ts";

export const undeclaredCases = behaviours("reading", {
  "without a type returns what this client does not declare, and with a type refuses or leaves out every other": async (
    fixture,
  ) => {
    const { client, state, clock } = fixture;
    const oldTypes = defineJobTypes<{
      "old.import": { entry: true; input: { path: string }; output: { rows: number } };
    }>();
    const old = createClient({ stateAdapter: state.adapter, jobTypes: oldTypes, clock });
    const { id } = await old.startChain({ typeName: "old.import", input: { path: "a.csv" } });
    const isFound = (what: string, row: { readonly typeName: string; readonly input: unknown } | undefined) =>
      match(what, row, { typeName: "old.import", input: { path: "a.csv" } });
    isFound("the chain", await client.getChain({ id }));
    const [job] = (await client.listChainJobs({ id })).items;
    const jobId = present("a job", job).id;
    isFound("the job", await client.getJob({ id: jobId }));
    isFound("a listed chain", only("chain", (await client.listChains()).items));
    isFound("a listed job", only("job", (await client.listJobs()).items));
    isFound("its step", job);
    await rejectsWith("another chain", client.getChain({ id, typeName: "idle" }), "job-type-mismatch");
    await rejectsWith("another job", client.getJob({ id: jobId, typeName: "idle" }), "job-type-mismatch");
    equal("no chain of the type", (await client.listChains({ typeName: "idle" })).items, []);
    equal("no job of the type", (await client.listJobs({ typeName: "idle" })).items, []);
    equal("no step of the type", (await client.listChainJobs({ id, typeName: "idle" })).items, []);
    await old.completeChain({ id, typeName: "old.import", output: { rows: 5 } });
    await rejectsWith("a wait for another", client.awaitChain({ id, typeName: "idle" }), "job-type-mismatch");
    const ended = await client.awaitChain({ id });
    isFound("awaited", ended);
    equal("with its output", ended.output, { rows: 5 });
    await old.close();
  },
});
