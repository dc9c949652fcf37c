import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Call, Perform } from "../call.ts";
import { verbs } from "../gateway/read-keys.ts";
import { integer } from "../options.ts";
import { loopback } from "../serve/loopback.ts";
import { Refusal } from "../usage-error.ts";

interface Options {
  readonly port: number;
  readonly gatewayPort: number;
  readonly keep?: true | undefined;
}

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
    .action(async (options) => await perform(async (call) => await dev(call, options)));
}

async function dev(call: Call, options: Options): Promise<number> {
  const { surroundings, out } = call;
  if (surroundings.env["NODE_ENV"] === "production")
    throw new Refusal(
      "production",
      "dev runs jobs of a sample or of your configuration here, and NODE_ENV is production",
    );
  const { openDevelopment } = await import("../dev/open-development.ts");
  const { client, forWorker, processors, workerOptions, store, begin } = await openDevelopment(call, options);
  const [{ createWorker }, { serveDashboard }, { serveGateway }, { createGatewayKey }] = await Promise.all([
    import("chainwright"),
    import("../serve/serve-dashboard.ts"),
    import("../serve/serve-gateway.ts"),
    import("@chainwright/gateway"),
  ]);
  if (processors.length > 0) {
    const worker = createWorker({ ...workerOptions, client: forWorker, processors, name: "chainwright dev" });
    await worker.start();
    call.untilEnd(async () => await worker.stop({ timeoutMs: stopMs }));
  }
  const served = await serveDashboard({ client, port: options.port, role: "admin" });
  call.untilEnd(served.close);
  const { secret, key } = createGatewayKey({ name: "development", scopes: [{ types: ["*"], verbs }] });
  const gateway = await serveGateway({
    client,
    port: options.gatewayPort,
    host: loopback,
    keys: [key],
    tokenSecrets: undefined,
  });
  call.untilEnd(gateway.close);
  await begin();
  out.facts(
    [
      ["dashboard", served.link],
      ["gateway", gateway.url],
      ["key", secret],
      ["store", store],
      ["worker", processors.length === 0 ? "none: the configuration has no processors" : "running"],
    ],
    { dashboard: served.link, gateway: gateway.url, key: secret, store },
  );
  out.note("The link works once. Press Ctrl-C to stop.");
  await surroundings.untilStopped();
  return 0;
}
