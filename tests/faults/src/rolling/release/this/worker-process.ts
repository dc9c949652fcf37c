// Workers of this release, until they are killed or their input ends: node worker-process.ts <json>.
import { createWorker } from "chainwright";
import { ending, openProcess } from "../open-process.ts";
import { runSharedWorkers, runWorkers, workerOptions } from "../run-workers.ts";
import { openPricedClient, pricedProcessors } from "./priced.ts";

const rolling = openProcess();
const client = openPricedClient(rolling);
const processors = [pricedProcessors(rolling, client)];
const stops = await Promise.all([
  runSharedWorkers(rolling),
  runWorkers(client, [createWorker({ client, processors, ...workerOptions(rolling) })]),
]);
process.stdout.write("begun\n");
await ending(rolling);
await Promise.all(stops.map((stop) => stop()));
await rolling.store.close();
