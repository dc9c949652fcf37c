import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Call, Perform } from "../call.ts";
import { listed } from "../options.ts";
import type { Table } from "../output/output.ts";
import { pausing, stopSignal } from "../stopping.ts";
import { createFollower, type Happening } from "../tail/follow.ts";
import { errorJson, errorOf } from "../views/chain-view.ts";
import { statusStyle } from "../views/status.ts";

interface Options {
  readonly type?: readonly string[] | undefined;
  readonly failed?: true | undefined;
}

const everyMs = 1_000;

export function addTail(program: CommandUnknownOpts, perform: Perform): void {
  program
    .command("tail")
    .description("Show starts, ends and failures of chains as they happen, until Ctrl-C.")
    .option("--type <names>", "only these entry types", listed)
    .option("--failed", "only failures")
    .action(async (options) => await perform(async (call) => await tail(call, options)));
}

async function tail(call: Call, { type, failed }: Options): Promise<number> {
  const { client } = await call.open();
  const follower = createFollower(client, type === undefined ? {} : { typeName: type });
  const stopped = stopSignal(call);
  const table = tableOf(call.out.isTerminal);
  if (await follower.begin())
    call.out.note("More than 1,000 chains are active: the ends of the newest of them are shown.");
  call.out.note("Waiting for chains; Ctrl-C ends.");
  while (!stopped.aborted) {
    const happened = await follower.look();
    call.out.rows(table, failed === true ? happened.filter(({ event }) => event === "failed") : happened);
    await pausing(everyMs, stopped);
  }
  return 0;
}

function tableOf(isTerminal: boolean): Table<Happening> {
  return {
    columns: [
      { name: "time", cell: ({ at }) => (isTerminal ? at.toTimeString().slice(0, 8) : at), isWhole: true },
      {
        name: "event",
        cell: ({ event }) => event.padEnd("completed".length),
        style: (event) => statusStyle(event.trim()),
      },
      { name: "chain", cell: ({ chain }) => chain.id, isWhole: true },
      { name: "type", cell: ({ chain }) => chain.typeName },
      {
        name: "error",
        cell: ({ chain, event }) => (event === "started" ? undefined : (errorOf(chain.error) ?? chain.reason)),
        isFlexible: true,
      },
    ],
    json: ({ at, event, chain: { id, typeName, error } }) => ({
      at,
      event,
      id,
      typeName,
      error: event === "failed" ? errorJson(error) : undefined,
    }),
  };
}
