import { equal, present } from "../check.ts";
import { completed, continued, deferred, errorsText, failed, job, newId } from "./build.ts";
import { accepted } from "./fixture.ts";
import { rules } from "./group.ts";

export const batchCases = rules("batch", {
  "outcomes of all kinds in one batch are settled as each of them by itself": async (fixture) => {
    const chains = await fixture.start([job("a"), job("b"), job("a"), job("b"), job("a")]);
    const held = await fixture.claim(["a", "b"]);
    const fenceOf = (n: number) =>
      present(
        "its claim",
        held.find(({ id }) => id === chains[n]?.id),
      ).fence;
    const nowhere = completed({ jobId: newId(), workerId: "worker-1", fence: 1 });
    const outcomes = [
      deferred(fenceOf(0), { errors: errorsText("again"), schedule: { afterMs: 1 } }),
      completed(fenceOf(1), '"{one, \\"1\\"}"'),
      nowhere,
      failed(fenceOf(2)),
      completed(fenceOf(3), "null"),
      deferred(fenceOf(4), { counted: false }),
    ];
    const replies = await fixture.store.settle(outcomes, fixture.options());
    const ids = chains.map(({ id }) => id);
    equal(
      "replies",
      replies.map((reply) =>
        reply.status === "settled" ? [reply.jobId, reply.chainId, reply.typeName] : reply.status,
      ),
      [
        [ids[0], ids[0], "a"],
        [ids[1], ids[1], "b"],
        "lost",
        [ids[2], ids[2], "a"],
        [ids[3], ids[3], "b"],
        [ids[4], ids[4], "a"],
      ],
    );
    const jobs = await Promise.all(ids.map((id) => fixture.job(id)));
    equal(
      "jobs",
      jobs.map(({ status, output, attempt }) => [status, output, attempt]),
      [
        ["scheduled", undefined, 1],
        ["completed", '"{one, \\"1\\"}"', 1],
        ["failed", undefined, 1],
        ["completed", "null", 1],
        ["ready", undefined, 0],
      ],
    );
  },

  "an exchange returns one reply per outcome, in the order of the outcomes": async (fixture) => {
    await fixture.start([job("a"), job("a")]);
    const nowhere = completed({ jobId: newId(), workerId: "worker-1", fence: 1 });
    const held = (await fixture.claim(["a"])).map(({ fence }) => completed(fence));
    const request = { outcomes: [nowhere, ...held, nowhere], claim: undefined };
    const { settled } = await fixture.store.exchange(request, fixture.options());
    const statuses = settled.map(({ status }) => status);
    equal("replies", statuses, ["lost", "settled", "settled", "lost"]);
  },

  "outcomes of two workers in one batch count for their own claims only": async (fixture) => {
    await fixture.start([job("a"), job("a")]);
    const [one, two] = await fixture.claim(["a"], { workerId: "worker-1" });
    const fence = present("the second claim", two).fence;
    const outcomes = [completed(present("the first claim", one).fence), completed({ ...fence, workerId: "worker-2" })];
    const replies = await fixture.store.settle(outcomes, fixture.options());
    const statuses = replies.map(({ status }) => status);
    equal("replies", statuses, ["settled", "lost"]);
  },

  "jobs that failed in one batch, first and later steps, have higher fences after a retry": async (fixture) => {
    const chains = await fixture.start([job("a"), job("b")]);
    await fixture.settled(continued((await fixture.claimOne("a")).fence, job("b")));
    const before = await fixture.claim(["b"]);
    const outcomes = before.map(({ fence }) => failed(fence));
    const replies = await fixture.store.settle(outcomes, fixture.options());
    const statuses = replies.map(({ status }) => status);
    equal("replies", statuses, ["settled", "settled"]);
    const items = chains.map(({ id }) => ({ chainId: id, input: undefined, typeName: undefined }));
    accepted("retried", await fixture.store.retry(items, fixture.options()));
    for (const { id, fence } of await fixture.claim(["b"])) {
      const earlier = present(
        "its claim before",
        before.find((each) => each.id === id),
      );
      equal("the fence", fence.fence, earlier.fence.fence + 1);
    }
  },
});
