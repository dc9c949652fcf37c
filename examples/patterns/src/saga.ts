// A trip is booked at three companies, one step each. If one of them declines for good, the earlier bookings are cancelled in reverse
// order, and the customer gets an apology at the end. The compensations are chains with their own retries.
import {
  createClient,
  createInProcessStateAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
  FatalError,
  type StoppedChain,
} from "chainwright";

interface Trip {
  to: string;
  hotelIsFull?: boolean;
  cardIsDeclined?: boolean;
}

const jobTypes = defineJobTypes<{
  "flight.book": {
    entry: true;
    input: Trip;
    continueWith: "hotel.book";
    compensate: "flight.cancel";
    whenStopped: "trip.apologise";
  };
  "hotel.book": { input: Trip & { flight: string }; continueWith: "card.charge"; compensate: "hotel.cancel" };
  "card.charge": { input: Trip & { flight: string; hotel: string }; output: { booked: true } };
  "hotel.cancel": { entry: true; input: { hotel: string }; output: null };
  "flight.cancel": { entry: true; input: { flight: string }; output: null };
  "trip.apologise": { entry: true; input: StoppedChain<Trip>; output: null };
}>();
const client = createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes });
let ended = Promise.withResolvers<void>();

const processors = createProcessors({
  client,
  jobTypes,
  processors: {
    "flight.book": async ({ job, compensateWith, continueWith }) => {
      // Before the call: it counts also if this process dies in the middle of it.
      await compensateWith({ typeName: "flight.cancel", input: { flight: job.idempotencyKey } });
      say(`book a flight to ${job.input.to}`);
      const flight = "F1";
      const compensate = { typeName: "flight.cancel", input: { flight } } as const;
      return continueWith({ typeName: "hotel.book", input: { ...job.input, flight }, compensate });
    },
    "hotel.book": async ({ job, compensateWith, continueWith }) => {
      say(job.input.hotelIsFull ? "the hotel is full" : "book the hotel");
      if (job.input.hotelIsFull) throw new FatalError("the hotel is full");
      await compensateWith({ typeName: "hotel.cancel", input: { hotel: "H1" } });
      return continueWith({ typeName: "card.charge", input: { ...job.input, hotel: "H1" } });
    },
    "card.charge": async ({ job }) => {
      say(job.input.cardIsDeclined ? "the card is declined" : "charge the card");
      if (job.input.cardIsDeclined) throw new FatalError("the card was declined");
      ended.resolve();
      return { booked: true };
    },
    "hotel.cancel": {
      retry: { maxAttempts: 100, backoff: { initialMs: 10, jitter: 0 } }, // a cancellation has to succeed in the end
      handler: async ({ job }) => {
        say(`cancel hotel ${job.input.hotel}${job.attempt === 1 ? ": no reply, try again" : ""}`);
        if (job.attempt === 1) throw new Error("the hotel does not reply");
        return null;
      },
    },
    "flight.cancel": async ({ job }) => {
      say(`cancel flight ${job.input.flight}`);
      return null;
    },
    "trip.apologise": async ({ job }) => {
      const { chain, error } = job.input;
      say(`mail: no trip to ${chain.input.to}, because ${error?.message}`);
      ended.resolve();
      return null;
    },
  },
});
const worker = createWorker({ client, processors: [processors] });
await worker.start();

for (const trip of [{ to: "Lisbon" }, { to: "Oslo", hotelIsFull: true }, { to: "Rome", cardIsDeclined: true }]) {
  ended = Promise.withResolvers<void>();
  const { id } = await client.startChain({ typeName: "flight.book", input: trip, whenStopped: "trip.apologise" });
  await ended.promise;
  await client.awaitChain({ id }, { timeoutMs: 60_000 }).catch(() => undefined);
  const chain = await client.getChain({ id });
  const undone = chain?.compensations.flatMap(({ kind, typeName }) => (kind === "compensation" ? typeName : [])) ?? [];
  console.log(`${chain?.status}, undone by ${undone.length === 0 ? "nothing" : undone.join(", ")}`);
}

await worker.stop();
await client.close();

function say(what: string): void {
  console.log(`  ${what}`);
}
