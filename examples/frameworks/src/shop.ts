// A shop whose first charge fails, and its dashboard. The recipes of the guide mount this one.
import {
  createClient,
  createInProcessStateAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
  FatalError,
} from "chainwright";
import { createDashboard } from "@chainwright/dashboard";

const jobTypes = defineJobTypes<{
  "order.charge": { entry: true; input: { orderId: string }; output: { receipt: string } };
}>();

const client = createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes });
const port = process.env["PORT"] ?? "3000";

export const dashboard = createDashboard({
  client,
  basePath: "/jobs",
  authorize: () => ({ role: "operator", name: "Ada" }),
  hosts: [`127.0.0.1:${port}`, `localhost:${port}`, "shop.example.com"],
});

let charges = 0;
const processors = createProcessors({
  client,
  jobTypes,
  processors: {
    "order.charge": async ({ job }) => {
      charges += 1;
      if (charges === 1) throw new FatalError("the card has expired");
      return { receipt: `for ${job.input.orderId}` };
    },
  },
});

/** Next.js also loads this module when it builds, without a port. */
if (process.env["PORT"] !== undefined) {
  await createWorker({ client, processors: [processors], name: "shop" }).start();
  await client.startChain({ typeName: "order.charge", input: { orderId: "A-1" } });
}
