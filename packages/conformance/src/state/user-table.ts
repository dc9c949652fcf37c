import { equal, match, rejected, sameMembers } from "../check.ts";
import { createBarrier } from "../barrier.ts";
import { blockedBy, completed, continued, job, newId } from "./build.ts";
import { rulesWith } from "./group.ts";
import { statuses } from "./listing.ts";
import { refused } from "./fixture.ts";

export const userTableCases = rulesWith("the user's own writes", "userTable", {
  "commit with a start": async (fixture) => {
    const table = fixture.userTable();
    const start = job("a");
    await fixture.transact(async (tx) => {
      await table.write(tx, "k", "1");
      await fixture.startOne(start, tx);
      await table.write(tx, "k", "2");
    });
    sameMembers("written once each", await table.read("k"), ["1", "2"]);
    equal("started", await statuses(fixture, [start.id]), ["active"]);
  },

  "roll back with a start": async (fixture) => {
    const table = fixture.userTable();
    const start = job("a");
    await rejected(
      "rejects",
      fixture.store.transaction(async (tx) => {
        await table.write(tx, "k", "1");
        await fixture.startOne(start, tx);
        throw new Error("undo");
      }),
    );
    equal("not written", await table.read("k"), []);
    equal("not started", await statuses(fixture, [start.id]), [undefined]);
  },

  "commit with the outcome of an attempt": async (fixture) => {
    const table = fixture.userTable();
    const chain = await fixture.startOne(job("a"));
    const { fence } = await fixture.claimOne("a");
    await fixture.transact(async (tx) => {
      await table.write(tx, "k", "paid");
      await fixture.settled(completed(fence, '"receipt"'), tx);
    });
    equal("written", await table.read("k"), ["paid"]);
    match("completed", await fixture.chain(chain.id), { status: "completed", output: '"receipt"' });
  },

  "stay after a refusal in their transaction": async (fixture) => {
    const table = fixture.userTable();
    await fixture.transact(async (tx) => {
      await table.write(tx, "k", "before");
      const start = job("a", { blockers: [blockedBy(newId())] });
      const [reply] = await fixture.store.start([{ starts: [start] }], fixture.options(tx));
      if (reply !== undefined) refused("refused", reply);
      await table.write(tx, "k", "after");
    });
    sameMembers("both", await table.read("k"), ["before", "after"]);
  },

  "stay after a refused continuation in their transaction": async (fixture) => {
    const table = fixture.userTable();
    const chain = await fixture.startOne(job("a"));
    const { fence } = await fixture.claimOne("a");
    await fixture.transact(async (tx) => {
      await table.write(tx, "k", "before");
      const reply = await fixture.settle(continued(fence, job("b", { id: chain.id })), tx);
      equal("refused", reply.status, "refused");
      await fixture.settled(continued(fence, job("b")), tx);
      await table.write(tx, "k", "after");
    });
    sameMembers("both", await table.read("k"), ["before", "after"]);
  },

  "of many attempts at one job, those of exactly one are applied": async (fixture) => {
    const table = fixture.userTable();
    const chain = await fixture.startOne(job("a"));
    const attempts = [];
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      attempts.push(await fixture.claimOne("a", { workerId: `w-${attempt}`, leaseMs: 10 }));
      fixture.advance(10);
    }
    const barrier = createBarrier(attempts.length);
    const ends = await Promise.allSettled(
      attempts.map(({ fence }) =>
        fixture.transact(async (tx) => {
          await table.write(tx, "k", fence.workerId);
          await barrier();
          const reply = await fixture.settle(completed(fence, JSON.stringify(fence.workerId)), tx);
          if (reply.status !== "settled") throw new Error("lost");
        }),
      ),
    );
    equal(
      "only the last holds the job",
      ends.map(({ status }) => status),
      ["rejected", "rejected", "rejected", "rejected", "fulfilled"],
    );
    equal("applied once", await table.read("k"), ["w-5"]);
    match("the chain", await fixture.chain(chain.id), { status: "completed", output: '"w-5"' });
  },

  "of one attempt handed in twice at the same time, those of exactly one are applied": async (fixture) => {
    const table = fixture.userTable();
    const other = await fixture.connect();
    for (let round = 0; round < 5; round += 1) {
      const key = `k-${round}`;
      const chain = await fixture.startOne(job("a"));
      const { fence } = await fixture.claimOne("a");
      const barrier = createBarrier(2);
      await Promise.allSettled(
        [fixture, other].map((own, index) =>
          own.transact(async (tx) => {
            await table.write(tx, key, String(index));
            await barrier();
            const reply = await own.settle(completed(fence, String(index)), tx);
            if (reply.status !== "settled") throw new Error("lost");
          }),
        ),
      );
      equal("applied once, by the attempt that the chain names", await table.read(key), [
        (await fixture.chain(chain.id)).output ?? "",
      ]);
    }
  },

  "of a fan-in in overlapping transactions are applied once each": async (fixture) => {
    const table = fixture.userTable();
    const other = await fixture.connect();
    const inline = Array.from({ length: 12 }, () => job("x"));
    const waiting = await fixture.startOne(job("a", { blockers: inline.map((start) => ({ start })) }));
    const held = await fixture.claim(["x"]);
    const barrier = createBarrier(held.length);
    await Promise.all(
      held.map(({ fence }, index) => {
        const own = index % 2 === 0 ? fixture : other;
        return own.transact(async (tx) => {
          await table.write(tx, "k", fence.jobId);
          await barrier();
          await own.settled(completed(fence), tx);
        });
      }),
    );
    sameMembers(
      "each once",
      await table.read("k"),
      inline.map(({ id }) => id),
    );
    equal(
      "and the dependent once",
      (await fixture.claim(["a"])).map(({ id }) => id),
      [waiting.id],
    );
  },
});
