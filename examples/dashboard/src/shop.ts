import {
  createClient,
  createInProcessStateAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
  FatalError,
} from "chainwright";

const jobTypes = defineJobTypes<{
  "order.charge": { entry: true; input: { orderId: string; card: string }; output: { receipt: string } };
}>();

export const client = createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes });

const processors = createProcessors({
  client,
  jobTypes,
  processors: {
    "order.charge": async ({ job }) => {
      if (job.input.card === "expired") throw new FatalError("the card has expired");
      return { receipt: `for ${job.input.orderId}` };
    },
  },
});

/** Starts three chains: one that completes, one that fails, and one that is due tomorrow. */
export async function openShop(): Promise<{ close(): Promise<void> }> {
  const worker = createWorker({ client, processors: [processors], name: "shop" });
  await worker.start();
  const order = (orderId: string, card: string) => ({ typeName: "order.charge", input: { orderId, card } }) as const;
  const tomorrow = { schedule: { afterMs: 24 * 3_600_000 } };
  await client.startChains({
    items: [order("A-1", "valid"), order("A-2", "expired"), { ...order("A-3", "valid"), ...tomorrow }],
  });
  return {
    close: async () => {
      await worker.stop();
      await client.close();
    },
  };
}
