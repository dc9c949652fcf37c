// Starts chains of a release, until it is killed or its input ends: node starter-process.ts <json>.
import { openProcess } from "./open-process.ts";
import { runStarter } from "./run-starters.ts";
import { openSharedClient } from "./shared-client.ts";
import { startShared } from "./shared-starts.ts";

const rolling = openProcess();
const client = openSharedClient(rolling);
process.stdout.write("begun\n");
await runStarter(rolling, client, () => startShared(rolling, client));
await client.close();
await rolling.store.close();
