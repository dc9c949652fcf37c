// A worker that ticks schedules, in a process of its own until it is killed or its input ends: node ticking-process.ts <json>.
import { createClient, createProcessors, createWorker } from "chainwright";
import { workUntilInputEnds } from "../kills/work-until-input-ends.ts";
import { openStore } from "../store/place.ts";
import type { StorePlace } from "../store/open-store.ts";
import { tickingJobTypes as jobTypes } from "./job-types.ts";

const { place } = JSON.parse(process.argv[2] ?? "") as { readonly place: StorePlace };
const store = openStore(place);
const { stateAdapter, notifyAdapter } = store;
const client = createClient({ stateAdapter, notifyAdapter, jobTypes });
const processors = createProcessors({ client, jobTypes, processors: { ticked: async () => null } });
const worker = createWorker({
  client,
  processors: [processors],
  concurrency: 20,
  leaseMs: 2_000,
  pollIntervalMs: 1_000,
});
await workUntilInputEnds({ worker, client, store });
