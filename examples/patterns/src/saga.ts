// A trip is booked at three companies, one step each. If one of them declines for good, the earlier bookings are cancelled in reverse
// order; each cancellation is a step with its own retries.
import { createClient, createInProcessStateAdapter, createProcessors, createWorker, defineJobTypes } from "chainwright";

interface Trip {
  to: string;
  hotelIsFull?: boolean;
  cardIsDeclined?: boolean;
}

const jobTypes = defineJobTypes<{
  "flight.book": { entry: true; input: Trip; continueWith: "hotel.book" };
  "hotel.book": { input: Trip & { flight: string }; continueWith: "card.charge" | "flight.cancel" };
  "card.charge": {
    input: Trip & { flight: string; hotel: string };
    output: { booked: boolean };
    continueWith: "hotel.cancel";
  };
  "hotel.cancel": { input: { flight: string; hotel: string }; continueWith: "flight.cancel" };
  "flight.cancel": { input: { flight: string }; output: { booked: boolean } };
}>();
const client = createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes });

const processors = createProcessors({
  client,
  jobTypes,
  processors: {
    "flight.book": async ({ job, continueWith }) => {
      say(`book a flight to ${job.input.to}`);
      return continueWith({ typeName: "hotel.book", input: { ...job.input, flight: "F1" } });
    },
    "hotel.book": async ({ job: { input }, continueWith }) => {
      say(input.hotelIsFull ? "the hotel is full" : "book the hotel");
      if (input.hotelIsFull) return continueWith({ typeName: "flight.cancel", input: { flight: input.flight } });
      return continueWith({ typeName: "card.charge", input: { ...input, hotel: "H1" } });
    },
    "card.charge": async ({ job: { input }, continueWith }) => {
      say(input.cardIsDeclined ? "the card is declined" : "charge the card");
      if (!input.cardIsDeclined) return { booked: true };
      return continueWith({ typeName: "hotel.cancel", input: { flight: input.flight, hotel: input.hotel } });
    },
    "hotel.cancel": {
      retry: { maxAttempts: 100, backoff: { initialMs: 10, jitter: 0 } }, // a cancellation has to succeed in the end
      handler: async ({ job, continueWith }) => {
        say(`cancel hotel ${job.input.hotel}${job.attempt === 1 ? ": no reply, try again" : ""}`);
        if (job.attempt === 1) throw new Error("the hotel does not reply");
        return continueWith({ typeName: "flight.cancel", input: { flight: job.input.flight } });
      },
    },
    "flight.cancel": async ({ job }) => {
      say(`cancel flight ${job.input.flight}`);
      return { booked: false };
    },
  },
});
const worker = createWorker({ client, processors: [processors] });
await worker.start();

for (const trip of [{ to: "Lisbon" }, { to: "Oslo", hotelIsFull: true }, { to: "Rome", cardIsDeclined: true }]) {
  const chain = await client.startChain({ typeName: "flight.book", input: trip });
  const { output } = await client.awaitChain(chain, { timeoutMs: 60_000 });
  console.log(output);
}

await worker.stop();
await client.close();

function say(what: string): void {
  console.log(`  ${what}`);
}
