import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Call, Perform } from "../call.ts";
import { notFound } from "../lists/find-id.ts";
import { dryRunFlag } from "../options.ts";
import { readPayload } from "../read-payload.ts";
import { inTransaction } from "../rolled-back.ts";

interface Options {
  readonly type?: string | undefined;
  readonly id?: string | undefined;
  readonly dryRun?: true | undefined;
}

export function addSignal(program: CommandUnknownOpts, perform: Perform): void {
  program
    .command("signal")
    .description("Send a signal to a chain that waits for one, or will.")
    .argument("<chain>", "its whole id")
    .argument("<signal>", "the signal's name")
    .argument("[json]", "the payload; - reads the standard input, @FILE a file", "null")
    .option("--type <name>", "the step that waits; without it: the chain's newest step")
    .option("--id <id>", "an id of the signal: a second one with it has no effect")
    .option(...dryRunFlag)
    .action(
      async (chain, signal, json, options) =>
        await perform(async (call) => await send(call, { chain, signal, json, options })),
    );
}

interface Asked {
  readonly chain: string;
  readonly signal: string;
  readonly json: string;
  readonly options: Options;
}

async function send(call: Call, { chain: id, signal, json, options }: Asked): Promise<number> {
  const payload = await readPayload(call, json);
  const { client } = await call.open();
  const typeName = options.type ?? (await client.explainChain({ id }))?.typeName;
  if (typeName === undefined) throw notFound("chain", id);
  const { delivered } = await inTransaction(
    client,
    options,
    async (tx) => await client.signalChain({ id, typeName, signal, payload, signalId: options.id, tx }),
  );
  call.out.line(`${options.dryRun === true ? "would be " : ""}${delivered}`, {
    id,
    typeName,
    signal,
    delivered,
    dryRun: options.dryRun === true,
  });
  return 0;
}
