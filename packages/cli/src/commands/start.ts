import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Call, Perform } from "../call.ts";
import { tagsOf } from "../lists/filters.ts";
import { dryRunFlag, integer, listed, payloadsFlag, redactFlag, repeated } from "../options.ts";
import { parseJson } from "../parse-json.ts";
import { readText } from "../read-payload.ts";
import { inTransaction } from "../rolled-back.ts";
import { stopSignal } from "../stopping.ts";
import type { ErasedClient, ErasedStart } from "chainwright/adapter";
import { toJson } from "../text/escape.ts";
import { readDuration } from "../text/time.ts";
import { UsageError } from "../usage-error.ts";
import { payloadsBy, type PayloadFlags } from "../views/payload.ts";

interface Options extends PayloadFlags {
  readonly id?: string | undefined;
  readonly key?: string | undefined;
  readonly after?: string | undefined;
  readonly priority?: number | undefined;
  readonly pool?: string | undefined;
  readonly tag?: readonly string[] | undefined;
  readonly wait?: string | undefined;
  readonly dryRun?: true | undefined;
}

const mostPriority = 32_767;
const mostStarts = 1_000;

export function addStart(program: CommandUnknownOpts, perform: Perform): void {
  program
    .command("start")
    .description("Start a chain, or one for each line of JSON: all of them or none.")
    .argument("<type>", "the entry type")
    .argument("[json]", "the input; - reads the standard input, @FILE a file", "null")
    .option("--id <id>", "the id of the chain")
    .option("--key <key>", "a deduplication key: an active chain with it is returned instead")
    .option("--after <duration>", "begin after this time")
    .option(
      "--priority <number>",
      "higher begins first; 0 by default",
      integer("--priority", -mostPriority, mostPriority),
    )
    .option("--pool <name>", "the pool whose workers run it")
    .option("--tag <name=value>", "a tag to find it by; may be repeated", repeated)
    .option("--wait <duration>", "wait until it has ended; exit with 1 if it did not complete")
    .option(...dryRunFlag)
    .option(...payloadsFlag)
    .option(...redactFlag, listed)
    .addHelpText(
      "after",
      "\nWith --wait the output is printed. Without a configuration, neither the type\nnor the input is checked.",
    )
    .action(async (type, json, options) => await perform(async (call) => await start(call, type, json, options)));
}

async function start(call: Call, typeName: string, json: string, options: Options): Promise<number> {
  const inputs = inputsOf(await readText(call, json));
  if (inputs.length > 1 && (options.id !== undefined || options.key !== undefined || options.wait !== undefined))
    throw new UsageError("--id, --key and --wait are for a single chain");
  const { client, config } = await call.open();
  const items = inputs.map((input): ErasedStart => itemOf(typeName, input, options));
  const chains = await inTransaction(client, options, async (tx) => await client.startChains({ items, tx }));
  if (config === undefined)
    call.out.note("The type and the input were not checked, because there is no configuration.");
  const isDry = options.dryRun === true;
  for (const { id, status, deduplicated } of chains) {
    if (options.wait === undefined || isDry || !call.out.isJson)
      call.out.line(`${isDry ? "would be " : ""}${id}${deduplicated ? " (found by its key)" : ""}`, {
        id,
        typeName,
        status,
        deduplicated,
        dryRun: isDry,
      });
  }
  const [first] = chains;
  return options.wait === undefined || isDry || first === undefined ? 0 : await wait(call, client, first.id, options);
}

/** One JSON value, or one on each line. */
function inputsOf(text: string): readonly unknown[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  if (lines.length > mostStarts)
    throw new UsageError(`at most ${mostStarts} chains can be started at once; got ${lines.length} lines`);
  const isOne = lines.length < 2 || isJson(text);
  return isOne
    ? [parseJson(text, "the input")]
    : lines.map((line, place) => parseJson(line, `line ${place + 1} of the input`));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function itemOf(typeName: string, input: unknown, { id, key, after, priority, pool, tag }: Options): ErasedStart {
  return {
    typeName,
    input,
    ...(id === undefined ? {} : { id }),
    ...(key === undefined ? {} : { deduplication: { key } }),
    ...(after === undefined ? {} : { schedule: { afterMs: readDuration(after, "--after") } }),
    ...(priority === undefined ? {} : { priority }),
    ...(pool === undefined ? {} : { pool }),
    ...(tag === undefined ? {} : { tags: tagsOf(tag) }),
  };
}

/** The output is what `--wait` asks for, so it is a payload that is printed. */
async function wait(call: Call, client: ErasedClient, id: string, options: Options): Promise<number> {
  const timeoutMs = readDuration(options.wait ?? "", "--wait");
  const show = await payloadsBy({ ...options, payloads: true });
  const { output } = await client.awaitChain({ id }, { timeoutMs, signal: stopSignal(call) });
  const shown = show?.(() => output);
  call.out.line(toJson(shown), { id, status: "completed", output: shown });
  return 0;
}
