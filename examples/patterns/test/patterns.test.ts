import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { outputOf } from "@chainwright/backends/program-output";
import { expect, it } from "vitest";

const linesOf = async (name: string, ...args: readonly string[]) => {
  const output = await outputOf(new URL(`../src/${name}.ts`, import.meta.url), { args });
  return output.trimEnd().split("\n");
};

async function linesWithDatabase(name: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "chainwright-patterns-"));
  try {
    return await linesOf(name, join(folder, "example.db"));
  } finally {
    await rm(folder, { recursive: true });
  }
}

it("an approval continues the chain at once, and a second one is refused", async () => {
  expect(await linesOf("approval-by-webhook")).toEqual([
    "mail to the manager: approve 90 euros?",
    "paid 90 euros, approved by Ada",
    "the response was 202, and the chain ended with { paid: true }",
    "a second approval is refused with 409",
  ]);
}, 60_000);

it("the report contains all regions in the order of the plan", async () => {
  expect(await linesOf("fan-out-fan-in")).toEqual(["Orders: north 500, east 400, south 500, west 400, in all 1800"]);
}, 60_000);

it("a saga cancels the bookings in reverse order", async () => {
  expect(await linesOf("saga")).toEqual([
    "  book a flight to Lisbon",
    "  book the hotel",
    "  charge the card",
    "{ booked: true }",
    "  book a flight to Oslo",
    "  the hotel is full",
    "  cancel flight F1",
    "{ booked: false }",
    "  book a flight to Rome",
    "  book the hotel",
    "  the card is declined",
    "  cancel hotel H1: no reply, try again",
    "  cancel hotel H1",
    "  cancel flight F1",
    "{ booked: false }",
  ]);
}, 60_000);

it("recurring work is one series however often it is started, and continues after a failed run", async () => {
  expect(await linesOf("recurring")).toEqual(["1 series, started by 3 processes", "run 1", "run 2 fails", "run 3"]);
}, 60_000);

it("a stopping worker lets its handler finish, and leaves the other jobs to the next worker", async () => {
  expect(await linesWithDatabase("graceful-shutdown")).toEqual([
    "a mail to Ada",
    "stopping",
    "sent to Ada",
    "stopped; 2 mails wait",
    "a mail to Grace",
    "sent to Grace",
    "a mail to Edsger",
    "sent to Edsger",
  ]);
}, 60_000);

it("two services on one database handle their own job types and wait for each other's chains", async () => {
  expect(await linesWithDatabase("two-services")).toEqual([
    "orders: an order of Ada",
    'mails: "Thank you" to Ada',
    "orders: closed, confirmed by m-1",
  ]);
}, 60_000);

it("a webhook is delivered when the server is ready, and given up when its address is gone", async () => {
  expect(await linesOf("webhook-delivery")).toEqual([
    "POST /new: 429",
    "POST /new: 503",
    "POST /new: 200",
    "delivered in attempt 2, under 1 id",
    "POST /old: 410",
    "the server responded 410; decided by when",
  ]);
}, 60_000);
