import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { GatewayVerb } from "@chainwright/gateway";
import type { Call, Perform } from "../call.ts";
import { readKeys, verbs } from "../gateway/read-keys.ts";
import { integer, listed } from "../options.ts";
import { loopback } from "../serve/loopback.ts";
import { toJson } from "../text/escape.ts";
import { UsageError } from "../usage-error.ts";

const mostPort = 65_535;
const secretsVariable = "CHAINWRIGHT_GATEWAY_SECRETS";

export function addGateway(program: CommandUnknownOpts, perform: Perform): void {
  const gateway = program
    .command("gateway")
    .description("Serve the HTTP gateway for programs in other languages, and make keys for them.");
  gateway
    .command("serve", { isDefault: true })
    .description("Serve the gateway.")
    .requiredOption("--keys <file>", "the keys, as `gateway key` prints them: one on each line, or a JSON array")
    .option("--port <number>", "the port to listen on; 0: any free one", integer("--port", 0, mostPort), 0)
    .option("--host <address>", "the address to listen on", loopback)
    .addHelpText(
      "after",
      `\n${secretsVariable} has the secrets that sign leases, separated by commas. Gateways of\none store need the same; without it, leases end with this process.`,
    )
    .action(async (options) => await perform(async (call) => await serve(call, options)));
  gateway
    .command("key")
    .description("Make a key: its secret is printed once, and its line for the file of keys.")
    .argument("<name>", "the name of the program that gets it")
    .requiredOption("--types <names>", "the job types: names, or prefixes that end with *", listed)
    .requiredOption("--verbs <verbs>", `what it may do: ${verbs.join(", ")}`, verbsOf)
    .action(async (name, options) => await perform(async (call) => await makeKey(call, name, options)));
}

interface ServeOptions {
  readonly keys: string;
  readonly port: number;
  readonly host: string;
}

async function serve(call: Call, { keys: file, port, host }: ServeOptions): Promise<number> {
  const { surroundings, out } = call;
  const keys = await readKeys(file, surroundings.folder);
  const tokenSecrets = surroundings.env[secretsVariable]?.split(",").filter((secret) => secret !== "");
  const { client, config } = await call.open({ prepares: true });
  await client.countJobs();
  const { serveGateway } = await import("../serve/serve-gateway.ts");
  const served = await serveGateway({ client, port, host, keys, tokenSecrets });
  call.untilEnd(served.close);
  out.line(served.url, { url: served.url, port: served.port, keys: keys.length });
  if (tokenSecrets === undefined) out.note(`Leases end with this process, because ${secretsVariable} is not set.`);
  if (config === undefined) out.note("Types and inputs are not checked, because there is no configuration.");
  out.note("Press Ctrl-C to stop the gateway.");
  await surroundings.untilStopped();
  return 0;
}

interface KeyOptions {
  readonly types: readonly string[];
  readonly verbs: readonly GatewayVerb[];
}

async function makeKey({ out }: Call, name: string, scope: KeyOptions): Promise<number> {
  const { createGatewayKey } = await import("@chainwright/gateway");
  const { secret, key } = createGatewayKey({ name, scopes: [{ types: scope.types, verbs: scope.verbs }] });
  out.facts(
    [
      ["secret", secret],
      ["key", toJson(key)],
    ],
    { secret, key },
  );
  out.note("Give the secret to the program; it is not shown again. Add the key to the file of keys.");
  return 0;
}

function verbsOf(text: string, before: readonly GatewayVerb[] | undefined): readonly GatewayVerb[] {
  const isVerb = (each: string): each is GatewayVerb => verbs.some((verb) => verb === each);
  const given = text.split(",").map((each) => {
    if (isVerb(each)) return each;
    throw new UsageError(`--verbs must be ${verbs.join(", ")}; got ${each}`);
  });
  return [...(before ?? []), ...given];
}
