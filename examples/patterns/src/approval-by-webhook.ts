// A chain that waits up to a week for a person, who decides with a link in a mail. The link sends a signal; the step that waits decides.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createClient, createInProcessStateAdapter, createProcessors, createWorker, defineJobTypes } from "chainwright";
import { createSignalLinks } from "chainwright/signal-links";

const dayMs = 24 * 3_600_000;
const jobTypes = defineJobTypes<{
  "expense.submit": { entry: true; input: { euros: number }; continueWith: "expense.approve" };
  "expense.approve": {
    input: { euros: number };
    signals: { approved: { by: string }; rejected: { by: string } };
    output: { paid: false; why: string };
    continueWith: "expense.pay";
  };
  "expense.pay": { input: { euros: number; by: string }; output: { paid: true; approvedBy: string } };
}>();
const client = createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes });
const links = createSignalLinks({
  client,
  secrets: [randomBytes(32).toString("base64")], // from the configuration, the same in all processes
  basePath: "/answer",
  describe: ({ signal, payload }) => `An expense: ${signal} by ${payload.by}`,
});
const mailed = Promise.withResolvers<Readonly<Record<"approve" | "reject", string>>>();

const processors = createProcessors({
  client,
  jobTypes,
  processors: {
    "expense.submit": async ({ job, continueWith }) => {
      const payload = { by: "Ada" };
      const urls = await links.urls({
        id: job.chainId,
        typeName: "expense.approve",
        expiresInMs: 7 * dayMs,
        choices: { approve: { signal: "approved", payload }, reject: { signal: "rejected", payload } },
      });
      console.log(`mail to the manager: approve ${job.input.euros} euros?`);
      mailed.resolve(urls);
      // A click that comes before this step has committed is buffered.
      return continueWith({ typeName: "expense.approve", input: job.input, waitUntil: { afterMs: 7 * dayMs } });
    },
    "expense.approve": async ({ job, continueWith }) => {
      switch (job.received?.signal) {
        case "approved":
          return continueWith({ typeName: "expense.pay", input: { ...job.input, by: job.received.payload.by } });
        case "rejected":
          return { paid: false, why: `${job.received.payload.by} rejected it` };
        case undefined:
          return { paid: false, why: "no one answered within a week" };
      }
    },
    "expense.pay": async ({ job }) => ({ paid: true, approvedBy: job.input.by }),
  },
});

async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const url = new URL(incoming.url ?? "/", "http://127.0.0.1");
  const response = await links.fetch(new Request(url, { method: incoming.method ?? "GET" }));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
}
const server = createServer((incoming, outgoing) => void serve(incoming, outgoing));
await once(server.listen(0, "127.0.0.1"), "listening");
const worker = createWorker({ client, processors: [processors] });
await worker.start();

const chain = await client.startChain({ typeName: "expense.submit", input: { euros: 90 } });
const { approve, reject } = await mailed.promise;
const { port } = server.address() as AddressInfo;
const visit = async (path: string, method = "GET"): Promise<string> => {
  const page = await (await fetch(`http://127.0.0.1:${port}${path}`, { method })).text();
  return /<h1>(.*)<\/h1>/.exec(page)?.[1] ?? "";
};
console.log(`a scanner opens the link: ${await visit(approve)}`);
console.log(`the manager presses the button: ${await visit(approve, "POST")}`);
const { output } = await client.awaitChain(chain, { timeoutMs: 60_000 });
console.log("the chain ended with", output);
console.log(`and then the other one: ${await visit(reject, "POST")}`);

await worker.stop();
server.close();
await client.close();
