import {
  createClient,
  createInProcessStateAdapter,
  createProcessors,
  createWorker,
  type NotifyAdapter,
} from "chainwright";
import { charge, orderJobTypes } from "./order.ts";

/** Ten times longer than any start below should wait, and less than the 30 seconds after which a worker looks by itself. */
const timeoutMs = 20_000;

/**
 * A web server and a worker that share only a store and their notify adapters. The worker waits for hints; without them it
 * would look for work twice a minute.
 */
export async function wakeUpThrough(web: NotifyAdapter, background: NotifyAdapter): Promise<void> {
  const stateAdapter = createInProcessStateAdapter();
  const webClient = createClient({ stateAdapter, notifyAdapter: web, jobTypes: orderJobTypes });
  const backgroundClient = createClient({ stateAdapter, notifyAdapter: background, jobTypes: orderJobTypes });
  const processors = createProcessors({
    client: backgroundClient,
    jobTypes: orderJobTypes,
    processors: {
      "order.charge": async ({ job }) => ({ receipt: await charge(job.input.cents, job.idempotencyKey) }),
    },
  });
  const worker = createWorker({ client: backgroundClient, processors: [processors] });
  await worker.start();

  for (const orderId of ["A-1", "A-2", "A-3"]) {
    const chain = await webClient.startChain({ typeName: "order.charge", input: { orderId, cents: 4_200 } });
    const { output } = await webClient.awaitChain(chain, { timeoutMs });
    console.log(`${orderId}: ${output.receipt}`);
  }

  await worker.stop();
  await Promise.all([webClient.close(), backgroundClient.close()]);
  await Promise.all([web.close(), background.close()]);
}
