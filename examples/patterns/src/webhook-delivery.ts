// Webhooks to the servers of customers: signed, retried when the server asks for it, and given up when the address is gone.
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  createClient,
  createInProcessStateAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
  type RetryWhen,
} from "chainwright";

const jobTypes = defineJobTypes<{
  "webhook.deliver": { entry: true; input: { url: string; event: string }; output: { attempt: number } };
}>();
const client = createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes });
const secret = "shared with the customer";

/** A response that is no success, as an error with a code. */
function httpError({ status, headers }: Response): Error {
  const retryAfter = headers.get("retry-after");
  return Object.assign(new Error(`the server responded ${status}`), { code: `http-${status}`, retryAfter });
}

/** Compares codes and not classes: an error may come from another copy of a package. */
const byResponse: RetryWhen = (error, { attempt }) => {
  if (!(error instanceof Error && "code" in error)) return "retry";
  if (error.code === "http-410") return "fail"; // the customer has deleted the address
  if (error.code === "http-404" && attempt > 3) return "fail";
  if (error.code === "http-429" && "retryAfter" in error) {
    const seconds = Number(error.retryAfter); // NaN if it is a date
    return seconds > 0 ? { afterMs: seconds * 1_000, uncounted: true } : "retry";
  }
  return "retry";
};

const processors = createProcessors({
  client,
  jobTypes,
  processors: {
    "webhook.deliver": {
      retry: { maxAttempts: 2, backoff: { initialMs: 100, maxMs: 3_600_000 }, when: byResponse },
      timeoutMs: 10_000,
      handler: async ({ job, signal }) => {
        const body = JSON.stringify({ event: job.input.event });
        const signature = createHmac("sha256", secret).update(body).digest("hex");
        // The id is the same at each attempt: the server can ignore a delivery that it has had already.
        const headers = { "webhook-id": job.idempotencyKey, "webhook-signature": signature };
        const response = await fetch(job.input.url, { method: "POST", body, headers, signal });
        await response.arrayBuffer();
        if (!response.ok) throw httpError(response);
        return { attempt: job.attempt };
      },
    },
  },
});

/** The customer's server: busy, then broken, then well; the old address is gone. */
const responses = [429, 503, 200];
const ids = new Set<unknown>();
const server = createServer((request, response) => {
  const status = request.url === "/old" ? 410 : (responses.shift() ?? 500);
  if (request.url !== "/old") ids.add(request.headers["webhook-id"]);
  console.log(`POST ${request.url}: ${status}`);
  response.writeHead(status, status === 429 ? { "retry-after": "1" } : {}).end();
});
await once(server.listen(0, "127.0.0.1"), "listening");
const { port } = server.address() as AddressInfo;
const worker = createWorker({ client, processors: [processors] });
await worker.start();

const to = (path: string) => ({ url: `http://127.0.0.1:${port}${path}`, event: "order.paid" });
const chain = await client.startChain({ typeName: "webhook.deliver", input: to("/new") });
const { output } = await client.awaitChain(chain, { timeoutMs: 60_000 });
// Of 2 attempts: the one that the server asked to repeat did not count.
console.log(`delivered in attempt ${output.attempt}, under ${ids.size} id`);

const gone = await client.startChain({ typeName: "webhook.deliver", input: to("/old") });
await client.awaitChain(gone, { timeoutMs: 60_000 }).catch(() => undefined);
const failed = await client.getChain({ id: gone.id });
if (failed?.status === "failed") console.log(`${failed.error.message}; decided by ${failed.error.decidedBy}`);

await worker.stop();
server.close();
await client.close();
