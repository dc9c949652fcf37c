import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Call, Perform } from "../call.ts";
import type { Lasting } from "../dev/lasting.ts";
import { verbs } from "../gateway/read-keys.ts";
import { integer } from "../options.ts";
import { loopback } from "../serve/loopback.ts";
import { Refusal } from "../usage-error.ts";

interface Options {
  readonly port: number;
  readonly gatewayPort: number;
  readonly keep?: true | undefined;
  readonly watch?: true | undefined;
}

const watchFlag = "--watch";
const mostPort = 65_535;
const stopMs = 5_000;

export function addDev(program: CommandUnknownOpts, perform: Perform): void {
  program
    .command("dev")
    .description(
      "Run a store, a worker, the dashboard and the gateway for development, with your configuration or a sample.",
    )
    .option("--port <number>", "the port of the dashboard; 0: any free one", integer("--port", 0, mostPort), 0)
    .option(
      "--gateway-port <number>",
      "the port of the gateway; 0: any free one",
      integer("--gateway-port", 0, mostPort),
      0,
    )
    .option("--keep", "keep the chains in .chainwright/jobs.db; without it they are in memory")
    .option(watchFlag, "begin again when the configuration, or a module that it imports, changes")
    .action(async (options) => await perform(async (call) => await dev(call, options)));
}

async function dev(call: Call, options: Options): Promise<number> {
  const { surroundings, out } = call;
  if (surroundings.env["NODE_ENV"] === "production")
    throw new Refusal(
      "production",
      "dev runs jobs of a sample or of your configuration here, and NODE_ENV is production",
    );
  if (options.watch === true) {
    const { watchDevelopment } = await import("../dev/watch.ts");
    return await watchDevelopment(call, { ...options, args: surroundings.args.filter((arg) => arg !== watchFlag) });
  }
  const { openDevelopment } = await import("../dev/open-development.ts");
  const { client, forWorker, processors, workerOptions, store, begin } = await openDevelopment(call, options);
  const [{ createWorker }, { serveDashboard }, { serveGateway }, { hashKey }, lasting] = await Promise.all([
    import("chainwright"),
    import("../serve/serve-dashboard.ts"),
    import("../serve/serve-gateway.ts"),
    import("@chainwright/gateway"),
    lastingOf(call, options),
  ]);
  const { port, gatewayPort, session, keySecret, tokenSecret } = lasting;
  if (processors.length > 0) {
    const worker = createWorker({ ...workerOptions, client: forWorker, processors, name: "chainwright dev" });
    await worker.start();
    call.untilEnd(async () => await worker.stop({ timeoutMs: stopMs }));
  }
  const served = await serveDashboard({ client, port, role: "admin", session });
  call.untilEnd(served.close);
  const gateway = await serveGateway({
    client,
    port: gatewayPort,
    host: loopback,
    keys: [{ name: "development", hash: hashKey(keySecret), scopes: [{ types: ["*"], verbs }] }],
    tokenSecrets: [tokenSecret],
  });
  call.untilEnd(gateway.close);
  await begin();
  out.facts(
    [
      ["dashboard", served.link],
      ["gateway", gateway.url],
      ["key", keySecret],
      ["store", store],
      ["worker", processors.length === 0 ? "none: the configuration has no processors" : "running"],
    ],
    { dashboard: served.link, gateway: gateway.url, key: keySecret, store },
  );
  out.note("The link works once. Press Ctrl-C to stop.");
  await surroundings.untilStopped();
  return 0;
}

/** Of this process alone, unless an outer one begins it again and again. */
async function lastingOf({ surroundings }: Call, ports: Pick<Options, "port" | "gatewayPort">): Promise<Lasting> {
  const { createLasting, passedOn } = await import("../dev/lasting.ts");
  return passedOn(surroundings.env) ?? createLasting(ports);
}
