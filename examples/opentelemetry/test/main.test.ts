import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

it("prints one trace of the whole chain, and its counters", async () => {
  const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
  const flags = ["--conditions=@chainwright/source", "--experimental-strip-types", "--no-warnings"];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, main]);
  expect(stdout).toMatchInlineSnapshot(`
    "checkout (internal)
      start order.place (producer)
        process order.place (consumer)
          start stock.reserve (producer)
            process stock.reserve (consumer)
          continue order.charge (producer)
            process order.charge (consumer) failed: RangeError, linked to 1 blocker
              POST /charges (internal)
            process order.charge (consumer), linked to 1 blocker
              POST /charges (internal)
              complete order.charge (internal)

    chainwright.job.retried order.charge error 1
    messaging.client.consumed.messages order.charge claim 2
    messaging.client.consumed.messages order.place claim 1
    messaging.client.consumed.messages stock.reserve claim 1
    messaging.client.sent.messages order.charge continue 1
    messaging.client.sent.messages order.place start 1
    messaging.client.sent.messages stock.reserve start 1
    "
  `);
}, 30_000);
