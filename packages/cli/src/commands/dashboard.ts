import { Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Role } from "@chainwright/dashboard";
import type { Call, Perform } from "../call.ts";
import { integer, listed, redactFlag } from "../options.ts";

interface Options {
  readonly port: number;
  readonly role: Role;
  readonly redact?: readonly string[] | undefined;
}

const mostPort = 65_535;

export function addDashboard(program: CommandUnknownOpts, perform: Perform): void {
  program
    .command("dashboard")
    .description("Serve the dashboard to this machine only, and print a sign-in link that works once.")
    .option("--port <number>", "the port to listen on; 0: any free one", integer("--port", 0, mostPort), 0)
    .addOption(
      new Option("--role <role>", "what the page may do")
        .choices(["viewer", "operator", "admin"] as const)
        .default("admin" as const),
    )
    .option(...redactFlag, listed)
    .action(async (options) => await perform(async (call) => await dashboard(call, options)));
}

async function dashboard(call: Call, { port, role, redact: keys = [] }: Options): Promise<number> {
  const { client } = await call.open();
  // A store that cannot be read is told here, and not on the page.
  await client.countJobs();
  const [{ redactKeys }, { serveDashboard }] = await Promise.all([
    import("@chainwright/dashboard"),
    import("../serve/serve-dashboard.ts"),
  ]);
  const served = await serveDashboard({ client, port, role, redact: keys.length === 0 ? undefined : redactKeys(keys) });
  call.untilEnd(served.close);
  call.out.line(served.link, { link: served.link, port: served.port });
  call.out.note("Open this link to sign in; it works once. Press Ctrl-C to stop the dashboard.");
  await call.surroundings.untilStopped();
  return 0;
}
