// A chain that waits for a person. The waiting step is due in a week, when it expires; an approval over HTTP continues the chain before.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  createClient,
  createInProcessStateAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
  isChainwrightError,
} from "chainwright";

const jobTypes = defineJobTypes<{
  "expense.submit": { entry: true; input: { euros: number }; continueWith: "expense.expire" };
  "expense.expire": { input: { euros: number }; output: { paid: false }; continueWith: "expense.pay" };
  "expense.pay": { input: { euros: number; approvedBy: string }; output: { paid: true } };
}>();
const client = createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes });
const asked = Promise.withResolvers<void>();

const processors = createProcessors({
  client,
  jobTypes,
  processors: {
    "expense.submit": async ({ job, continueWith }) => {
      console.log(`mail to the manager: approve ${job.input.euros} euros?`);
      asked.resolve();
      const schedule = { afterMs: 7 * 24 * 3_600_000 };
      return continueWith({ typeName: "expense.expire", input: job.input, schedule });
    },
    "expense.expire": async () => ({ paid: false }),
    "expense.pay": async ({ job }) => {
      console.log(`paid ${job.input.euros} euros, approved by ${job.input.approvedBy}`);
      return { paid: true };
    },
  },
});

/** POST /expenses/:id/approval. A second or late approval is refused, because the chain has moved on. */
async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const id = request.url?.split("/")[2] ?? "";
  try {
    const chain = await client.getChain({ id, typeName: "expense.submit" });
    if (chain === undefined) return void response.writeHead(404).end();
    const input = { euros: chain.input.euros, approvedBy: "Ada" }; // the session knows who approved
    await client.continueChain({ id, typeName: "expense.expire", with: { typeName: "expense.pay", input } });
    response.writeHead(202).end();
  } catch (error) {
    const movedOn = isChainwrightError(error, "job-type-mismatch") || isChainwrightError(error, "chain-not-active");
    response.writeHead(movedOn ? 409 : 500).end();
  }
}
const server = createServer((request, response) => void receive(request, response));
await once(server.listen(0, "127.0.0.1"), "listening");
const worker = createWorker({ client, processors: [processors] });
await worker.start();

const chain = await client.startChain({ typeName: "expense.submit", input: { euros: 90 } });
await asked.promise;
const { port } = server.address() as AddressInfo;
const approve = () => fetch(`http://127.0.0.1:${port}/expenses/${chain.id}/approval`, { method: "POST" });
const approval = await approve();
const { output } = await client.awaitChain(chain, { timeoutMs: 60_000 });
console.log(`the response was ${approval.status}, and the chain ended with`, output);
const another = await approve();
console.log(`a second approval is refused with ${another.status}`);

await worker.stop();
server.close();
await client.close();
