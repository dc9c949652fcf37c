// Starts chains of the last release, until it is killed or its input ends: node starter-process.ts <json>.
import { openProcess } from "../open-process.ts";
import { runStarter } from "../run-starters.ts";
import { openSharedClient } from "../shared-client.ts";
import { startShared } from "../shared-starts.ts";
import { openPricedClient, startPriced } from "./priced.ts";

const rolling = openProcess();
const shared = openSharedClient(rolling);
const priced = openPricedClient(rolling);
process.stdout.write("begun\n");
await runStarter(rolling, shared, [
  { times: 6, start: () => startShared(rolling, shared) },
  { times: 1, start: () => startPriced(rolling, priced) },
]);
await shared.close();
await priced.close();
await rolling.store.close();
