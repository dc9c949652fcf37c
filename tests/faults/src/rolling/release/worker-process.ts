// Workers of a release, until they are killed or their input ends: node worker-process.ts <json>.
import { ending, openProcess } from "./open-process.ts";
import { runSharedWorkers } from "./run-workers.ts";

const rolling = openProcess();
const stop = await runSharedWorkers(rolling);
process.stdout.write("begun\n");
await ending(rolling);
await stop();
await rolling.store.close();
