import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { WorkerInfo } from "chainwright";
import type { Perform } from "../call.ts";
import type { Table } from "../output/output.ts";

const workers: Table<WorkerInfo> = {
  columns: [
    { name: "name", cell: ({ name }) => name },
    { name: "slots", cell: ({ concurrency }) => concurrency, isNumber: true },
    { name: "holds", cell: ({ holds }) => holds, isNumber: true },
    { name: "started", cell: ({ startedAt }) => startedAt },
    { name: "seen", cell: ({ lastSeenAt }) => lastSeenAt },
    { name: "release", cell: ({ packageVersion }) => packageVersion },
    { name: "pools", cell: ({ pools }) => pools.map((pool) => pool ?? "-").join(" ") },
    { name: "types", cell: ({ typeNames }) => typeNames.join(" "), isFlexible: true },
  ],
  json: (worker) => worker,
};

export function addWorkers(program: CommandUnknownOpts, perform: Perform): void {
  program
    .command("workers")
    .description("List the live workers: what they handle, their slots, and what they hold.")
    .action(async () => {
      await perform(async (call) => {
        const { client } = await call.open();
        const alive = await client.listWorkers();
        call.out.rows(workers, alive);
        if (alive.length === 0) call.out.say("No live workers.", "yellow");
        return 0;
      });
    });
}
