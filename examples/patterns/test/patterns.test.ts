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

it("an answer by a link in a mail wakes the step that waits, and a second answer changes nothing", async () => {
  expect(await linesOf("approval-by-webhook")).toEqual([
    "mail to the manager: approve 90 euros?",
    "a scanner opens the link: Please confirm",
    "the manager presses the button: Thank you",
    "the chain ended with { paid: true, approvedBy: 'Ada' }",
    "and then the other one: This is over",
  ]);
}, 60_000);

it("the report contains all regions in the order of the plan", async () => {
  expect(await linesOf("fan-out-fan-in")).toEqual(["Orders: north 500, east 400, south 500, west 400, in all 1800"]);
}, 60_000);

it("a saga cancels the bookings in reverse order, and apologises at the end", async () => {
  expect(await linesOf("saga")).toEqual([
    "  book a flight to Lisbon",
    "  book the hotel",
    "  charge the card",
    "completed, undone by nothing",
    "  book a flight to Oslo",
    "  the hotel is full",
    "  cancel flight F1",
    "  mail: no trip to Oslo, because the hotel is full",
    "failed, undone by flight.cancel",
    "  book a flight to Rome",
    "  book the hotel",
    "  the card is declined",
    "  cancel hotel H1: no reply, try again",
    "  cancel hotel H1",
    "  cancel flight F1",
    "  mail: no trip to Rome, because the card was declined",
    "failed, undone by hotel.cancel, flight.cancel",
  ]);
}, 60_000);

it("a schedule starts one chain for each tick however often it is declared, and continues after a failed run", async () => {
  expect(await linesOf("recurring")).toEqual(["1 schedule, declared by 3 processes", "run 1", "run 2 fails", "run 3"]);
}, 60_000);

it("changes of a document that come soon after each other are indexed once, with the last revision", async () => {
  expect(await linesOf("search-index")).toEqual([
    "revision 2 goes into the chain that waits",
    "revision 3 goes into the chain that waits",
    "revision 4 goes into the chain that waits",
    "essay is indexed at revision 4",
    "essay is indexed at revision 5",
    "2 chains for 5 revisions",
  ]);
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
