import { equal, match, sameMembers } from "../check.ts";
import { completed, deferred, errorsText, job } from "./build.ts";
import { rules } from "./group.ts";

export const claimCases = rules("claim", {
  "takes jobs of one type first in, first out": async (fixture) => {
    const chains = await fixture.start([job("a"), job("a"), job("a")]);
    equal(
      "order",
      (await fixture.claim(["a"])).map((held) => held.id),
      chains.map((chain) => chain.id),
    );
  },

  "takes higher priorities first, over all the types it asks for": async (fixture) => {
    const chains = await fixture.start([
      job("a", { priority: 0 }),
      job("b", { priority: 2 }),
      job("a", { priority: -1 }),
      job("b", { priority: 0 }),
      job("a", { priority: 2 }),
    ]);
    const ids = chains.map((chain) => chain.id);
    equal(
      "order",
      (await fixture.claim(["a", "b"])).map((held) => held.id),
      [ids[4], ids[1], ids[0], ids[3], ids[2]],
    );
  },

  "takes types of equal priority in the order in which they are asked for": async (fixture) => {
    await fixture.start([job("a", { input: "1" }), job("b", { input: "2" }), job("c", { input: "3" })]);
    const [first] = await fixture.claim(["b", "c", "a"], { limit: 1 });
    equal("b first", first?.typeName, "b");
    equal(
      "then c, a",
      (await fixture.claim(["c", "a", "b"])).map((held) => held.typeName),
      ["c", "a"],
    );
  },

  "takes no more than the limit, and the rest next time": async (fixture) => {
    const chains = await fixture.start([job("a"), job("b"), job("a"), job("b"), job("a")]);
    equal("two", (await fixture.claim(["a", "b"], { limit: 2 })).length, 2);
    equal("two more", (await fixture.claim(["a", "b"], { limit: 2 })).length, 2);
    equal("the last", (await fixture.claim(["a", "b"], { limit: 2 })).length, 1);
    equal("none", await fixture.claim(["a", "b"], { limit: 2 }), []);
    const jobs = await fixture.store.getJobs(
      chains.map((chain) => chain.id),
      fixture.options(),
    );
    equal(
      "all run",
      jobs.map((record) => record?.status),
      ["running", "running", "running", "running", "running"],
    );
  },

  "takes only the types it asks for": async (fixture) => {
    await fixture.start([job("a"), job("b")]);
    equal(
      "only b",
      (await fixture.claim(["b"])).map((held) => held.typeName),
      ["b"],
    );
    equal("c has none", await fixture.claim(["c"]), []);
  },

  "returns what the handler needs": async (fixture) => {
    const chain = await fixture.startOne(job("a", { input: '{"x":[1]}', priority: 3 }));
    const createdAt = fixture.now();
    fixture.advance(250);
    const { fence, ...claimed } = await fixture.claimOne("a", { workerId: "w-7" });
    equal("the claimed job", claimed, {
      id: chain.id,
      chainId: chain.id,
      typeName: "a",
      version: 1,
      pool: undefined,
      step: 1,
      priority: 3,
      input: '{"x":[1]}',
      attempt: 1,
      errors: undefined,
      createdAt,
      waitedMs: 250,
      context: undefined,
      blockers: [],
    });
    equal("the fence", fence, { jobId: chain.id, workerId: "w-7", fence: 1 });
  },

  "leases a job to its worker for the type's lease time": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    fixture.advance(10);
    await fixture.claimOne("a", { workerId: "w-7", leaseMs: 5_000 });
    match("the job", await fixture.job(chain.id), {
      status: "running",
      attempt: 1,
      leasedBy: "w-7",
      startedAt: fixture.now(),
      leasedUntil: fixture.now() + 5_000,
    });
  },

  "does not take a job whose lease still runs": async (fixture) => {
    await fixture.startOne(job("a"));
    await fixture.claimOne("a", { leaseMs: 1_000 });
    fixture.advance(999);
    equal("no one can claim it", await fixture.claim(["a"], { workerId: "w-2" }), []);
  },

  "takes a job whose lease has run out, with the next attempt": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    await fixture.claimOne("a", { workerId: "w-1", leaseMs: 1_000 });
    fixture.advance(1_000);
    const held = await fixture.claimOne("a", { workerId: "w-2" });
    match("again", held, { id: chain.id, attempt: 2 });
    match("the job", await fixture.job(chain.id), { status: "running", leasedBy: "w-2", startedAt: fixture.now() });
  },

  "reads a job whose lease has run out as ready": async (fixture) => {
    const chain = await fixture.startOne(job("a"));
    await fixture.claimOne("a", { leaseMs: 1_000 });
    fixture.advance(1_000);
    match("the job", await fixture.job(chain.id), { status: "ready", attempt: 1 });
  },

  "keeps a job's place in the queue when its lease ran out": async (fixture) => {
    const [first, second] = await fixture.start([job("a"), job("a")]);
    await fixture.claim(["a"], { limit: 1, leaseMs: 1_000 });
    fixture.advance(1_000);
    equal(
      "order",
      (await fixture.claim(["a"])).map((held) => held.id),
      [first?.id, second?.id],
    );
  },

  "keeps a job's place in the queue when it comes back": async (fixture) => {
    const chains = await fixture.start([job("a"), job("a"), job("a")]);
    const [first, second] = await fixture.claim(["a"], { limit: 2 });
    if (first !== undefined) await fixture.settled(deferred(first.fence, { schedule: { afterMs: 100 } }));
    if (second !== undefined) await fixture.settled(deferred(second.fence));
    fixture.advance(100);
    equal(
      "order",
      (await fixture.claim(["a"])).map((held) => held.id),
      chains.map((chain) => chain.id),
    );
  },

  "claims nothing when nothing is asked for, and still settles": async (fixture) => {
    await fixture.start([job("a"), job("a")]);
    const held = await fixture.claim(["a"], { limit: 1 });
    const reply = await fixture.store.exchange(
      { outcomes: held.map(({ fence }) => completed(fence)), claim: undefined },
      fixture.options(),
    );
    equal(
      "settled",
      reply.settled.map((settled) => settled.status),
      ["settled"],
    );
    equal("nothing claimed", reply.claimed, []);
  },

  "shows the errors of earlier attempts": async (fixture) => {
    await fixture.startOne(job("a"));
    const held = await fixture.claimOne("a");
    await fixture.settled(deferred(held.fence, { errors: errorsText("first") }));
    match("the second attempt", await fixture.claimOne("a"), { attempt: 2, errors: errorsText("first") });
  },

  "shows completed blockers in position order": async (fixture) => {
    const one = await fixture.completedChain(job("x", { input: "1", context: "trace" }), '"one"');
    const two = await fixture.completedChain(job("y", { input: "2" }), '"two"');
    await fixture.startOne(
      job("a", {
        blockers: [
          { chainId: two.id, typeName: "y" },
          { chainId: one.id, typeName: "x" },
        ],
      }),
    );
    const held = await fixture.claimOne("a");
    const at = fixture.now();
    const same = { version: 1, outputVersion: 1, createdAt: at, endedAt: at };
    equal("blockers", held.blockers, [
      { ...same, chainId: two.id, typeName: "y", input: "2", output: '"two"', context: undefined },
      { ...same, chainId: one.id, typeName: "x", input: "1", output: '"one"', context: "trace" },
    ]);
  },

  "gives each of many claims at the same time jobs of its own": async (fixture) => {
    const other = await fixture.connect();
    const chains = await fixture.start(Array.from({ length: 60 }, () => job("a")));
    const claims = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        fixture.insist(() => (index % 2 === 0 ? fixture : other).claim(["a"], { workerId: `w-${index}`, limit: 10 })),
      ),
    );
    const rest = await fixture.claim(["a"]);
    const ids = [...claims.flat(), ...rest].map((held) => held.id);
    sameMembers(
      "each job once",
      ids,
      chains.map((chain) => chain.id),
    );
  },
});
