import type { ChainwrightEvent } from "chainwright";
import { equal, match } from "../check.ts";
import type { AppClient } from "./app-client.ts";
import { settlesSoon } from "../barrier.ts";
import { createGate } from "./gate.ts";
import { behavioursWith } from "./group.ts";
import type { Process, AppFixture } from "./fixture.ts";
import { eventually, inTime } from "./event-log.ts";

const deduplication = { key: "held", scope: "active", windowMs: 1 } as const;

/** What a transaction of an application does to a chain while the chain's last attempt runs. */
const holders: Readonly<Record<string, (client: AppClient, id: string, tx: unknown) => Promise<unknown>>> = {
  "cancels the chain": (client, id, tx) => client.cancelChain({ id, tx }),
  "starts a job that waits for the chain": (client, id, tx) =>
    client.startChain({ typeName: "gather", input: 0, blockers: [{ id, typeName: "work" }], tx }),
  "starts a chain with the key of the chain, whose window has passed": (client, _id, tx) =>
    client.startChain({ typeName: "work", input: 0, deduplication, tx }),
};

/** A transaction of another process, open until the case ends it. */
async function holding(fixture: AppFixture, run: (client: AppClient, tx: unknown) => Promise<unknown>) {
  const { client } = await fixture.process();
  const held = createGate();
  const end = Promise.withResolvers<void>();
  const done = client.transaction(async (tx) => {
    await run(client, tx);
    held.open();
    await end.promise;
  });
  const ended = done.catch(() => undefined);
  await inTime("it holds the rows", Promise.race([held.passed, done]));
  return {
    commit: () => (end.resolve(), ended),
    rollBack: () => (end.reject(new Error("rolls back")), ended),
  };
}

/** A chain whose attempt is about to end, and a worker that has it among others. */
async function almostDone(fixture: AppFixture) {
  const lonely = await fixture.process();
  const [begun, go] = [createGate(), createGate()];
  let runs = 0;
  await lonely.work(
    {
      work: async ({ job }) => {
        if (job.input !== "held") return job.input;
        runs += 1;
        begun.open();
        await go.passed;
        return "done";
      },
      gather: () => "gathered",
    },
    { concurrency: 4 },
  );
  const chain = await fixture.client.startChain({ typeName: "work", input: "held", deduplication });
  const dependent = await fixture.client.startChain({ typeName: "gather", input: 0, blockers: [chain] });
  await inTime("it begins", begun.passed);
  return { lonely, chain, dependent, go, runs: () => runs };
}

/** Ends the attempt while a transaction holds rows that its end needs, and checks that other jobs continue. Then ends the transaction. */
async function endBeside(fixture: AppFixture, what: string, end: "commit" | "rollBack") {
  const hold = holders[what];
  if (hold === undefined) throw new TypeError(what);
  const { lonely, chain, go, runs } = await almostDone(fixture);
  const held = await holding(fixture, (client, tx) => hold(client, chain.id, tx));
  try {
    go.open();
    await endNeighbours(fixture, lonely);
    match("the chain", await fixture.client.getChain({ id: chain.id }), { status: "active" });
  } finally {
    await held[end]();
  }
  const ended = await inTime(
    "it ends",
    fixture.client.awaitChain(chain).catch(() => undefined),
  );
  equal("one run", runs(), 1);
  for (const type of ["store-lost", "store-locked"])
    equal(
      type,
      fixture.eventLog.count((event) => event.type === type),
      0,
    );
  return { output: ended?.output, losses: fixture.eventLog.count(({ type }) => type === "lease-lost") };
}

async function endNeighbours(fixture: AppFixture, { state }: Process): Promise<void> {
  await eventually("it has tried by itself", () => (state.calls.get("settle") ?? 0) > 0);
  for (let round = 0; round < 3; round += 1) {
    const chains = await fixture.client.startChains({
      items: Array.from({ length: 10 }, (_, index) => ({ typeName: "work", input: index }) as const),
    });
    for (const chain of chains) await inTime("a neighbour ends", fixture.client.awaitChain(chain));
  }
}

function besideHolder(what: string) {
  return {
    [`that ${what} and rolls back, other jobs continue, and the end of the attempt is handed in once`]: async (
      fixture: AppFixture,
    ) => equal("its own end", await endBeside(fixture, what, "rollBack"), { output: "done", losses: 0 }),
    [`that ${what} and commits, other jobs continue, and one of the two ends the chain`]: async (
      fixture: AppFixture,
    ) => {
      const isCancelled = what === "cancels the chain";
      equal("its end", (await endBeside(fixture, what, "commit")).output, isCancelled ? undefined : "done");
      const isLoss = ({ type }: ChainwrightEvent): boolean => type === "lease-lost";
      if (isCancelled) await fixture.eventLog.until("the worker is notified", isLoss);
      else equal("no lease is lost", fixture.eventLog.count(isLoss), 0);
    },
  };
}

/** Starts of one moment, while a transaction has a key that one of them wants. */
async function startBeside(fixture: AppFixture, end: "commit" | "rollBack") {
  const { client } = fixture;
  const awaited = await client.startChain({ typeName: "work", input: 0 });
  const key = { key: "wanted" } as const;
  const taken = Promise.withResolvers<string>();
  const held = await holding(fixture, async (other, tx) =>
    taken.resolve((await other.startChain({ typeName: "idle", input: 0, deduplication: key, tx })).id),
  );
  const one = client.startChain({ typeName: "idle", input: 1, deduplication: key });
  const others = [
    client.startChain({ typeName: "idle", input: 2 }),
    client.startChain({ typeName: "idle", input: 3, deduplication: { key: "another" } }),
    client.startChain({ typeName: "gather", input: 4, blockers: [awaited] }),
    client.startChain({ typeName: "idle", input: 5 }),
  ];
  try {
    await inTime("the others start", Promise.all(others));
    equal("the one waits", await settlesSoon(one), false);
  } finally {
    await held[end]();
  }
  const chain = await inTime("it starts", one);
  return { deduplicated: chain.deduplicated, isTaken: chain.id === (await taken.promise) };
}

export const startCases = behavioursWith("starts at the same moment", "rowLocks", {
  "do not wait for the one whose key an open transaction holds, and it gets the key if the transaction rolls back":
    async (fixture) =>
      equal("the one", await startBeside(fixture, "rollBack"), { deduplicated: false, isTaken: false }),
  "do not wait for the one whose key an open transaction holds, and it gets the chain if the transaction commits":
    async (fixture) => equal("the one", await startBeside(fixture, "commit"), { deduplicated: true, isTaken: true }),
});

export const rowLockCases = behavioursWith("beside a transaction", "rowLocks", {
  ...Object.fromEntries(Object.keys(holders).flatMap((what) => Object.entries(besideHolder(what)))),

  "that cancels a job that waits for the chain and rolls back, the chain ends, and the job runs afterwards": async (
    fixture,
  ) => {
    const { client } = fixture;
    const { chain, dependent, go } = await almostDone(fixture);
    const held = await holding(fixture, (other, tx) => other.cancelChain({ id: dependent.id, tx }));
    try {
      go.open();
      equal("its output", (await inTime("it ends", client.awaitChain(chain))).output, "done");
      match("the job", await client.getChain({ id: dependent.id }), { status: "active" });
    } finally {
      await held.rollBack();
    }
    equal("it runs", (await inTime("it runs", client.awaitChain(dependent))).output, "gathered");
  },
});
