import { inTime } from "../behaviour/event-log.ts";
import { settlesSoon } from "../barrier.ts";
import { equal, holds, match, only } from "../check.ts";
import { completed, failed } from "./build.ts";
import { debounced } from "./debounce.ts";
import { rules, rulesWith } from "./group.ts";
import { holding } from "./holding.ts";
import { chains } from "./listing.ts";

/** The number of races is that of the rounds times that of the keys. */
const rounds = 20;
const keys = 20;

export const debounceRaceCases = rules("debounce races", {
  "J1, J3: of a start and a claim at the same time either the claim sees the start's input, or the start begins a chain":
    async (fixture) => {
      const other = await fixture.connect();
      const names = Array.from({ length: keys }, (_, n) => `k${n}`);
      for (let round = 0; round < rounds; round += 1) {
        const firsts = await fixture.start(names.map((key) => debounced(key, { input: "1" })));
        fixture.advance(2_000);
        const [claimed, ...later] = await Promise.all([
          fixture.insist(() => fixture.claim(["a"])),
          ...names.map((key) => other.insist(() => other.startOne(debounced(key, { input: "2" })))),
        ]);
        for (const [n, { id }] of firsts.entries()) {
          const start = later[n];
          const seen = claimed.find((job) => job.id === id)?.input;
          const now = await fixture.job(id);
          if (start?.id === id)
            holds("into the chain before the claim", seen !== "1" && now.input === "2", { seen, now });
          else
            match(
              "lost the race: the first ran with its own input",
              { seen, began: start?.deduplicated },
              { seen: "1", began: false },
            );
        }
        fixture.advance(5_000);
        const rest = await fixture.claim(["a"]);
        const ran = [...claimed, ...rest].map(({ input }) => input);
        equal("every key ran with its last input", ran.filter((input) => input === "2").length, keys);
        for (const { fence } of [...claimed, ...rest]) await fixture.settled(completed(fence));
      }
    },

  "J1: transactions that debounce one key leave one chain, with an input of one that committed": async (fixture) => {
    const other = await fixture.connect();
    for (const key of ["new", "held"]) {
      if (key === "held") await fixture.startOne(debounced(key, { input: "0" }));
      let last = "";
      const ends = Array.from({ length: 12 }, async (_, n) => {
        const own = n % 2 === 0 ? fixture : other;
        const end = own.transact(async (tx) => {
          await own.startOne(debounced(key, { input: String(n) }), tx);
          if (n % 3 === 0) throw new Error("undo");
          return String(n);
        });
        last = await end;
      });
      const ended = await Promise.allSettled(ends);
      equal("two thirds commit", ended.filter(({ status }) => status === "fulfilled").length, 8);
      const job = only("one chain", await chains(fixture, { key: { equals: key } }));
      holds("an input of one that committed", Number(job.input) % 3 !== 0, { input: job.input, last });
    }
    equal("two chains", (await chains(fixture)).length, 2);
  },

  "J1: a start outside waits for a transaction that has put a start into the chain, and its input is the last": async (
    fixture,
  ) => {
    const first = await fixture.startOne(debounced("k", { input: "1" }));
    const other = await fixture.connect();
    let outside: Promise<unknown> | undefined;
    await fixture.transact(async (tx) => {
      const own = await fixture.startOne(debounced("k", { input: "2" }), tx);
      outside ??= other.insist(() => other.startOne(debounced("k", { input: "3" })));
      await settlesSoon(outside);
      return own;
    });
    await outside;
    equal(
      "one chain",
      (await chains(fixture)).map(({ id }) => id),
      [first.id],
    );
  },
});

export const debounceLockCases = rulesWith("debounce beside open transactions", "rowLocks", {
  "J1: of two transactions the second waits for the first, and the last one's input stays": async (fixture) => {
    const first = await fixture.startOne(debounced("k", { input: "1" }));
    const open = await holding(fixture, (other, tx) => other.startOne(debounced("k", { input: "2" }), tx));
    const second = fixture.startOne(debounced("k", { input: "3" }));
    equal("it waits", await settlesSoon(second), false);
    await open.commit();
    match("into the chain", await inTime("the second start", second), { id: first.id, deduplicated: true });
    match("the last input", await fixture.job(first.id), { input: "3" });
  },

  "J1: a start that waited for a transaction which rolls back goes into the chain as it was": async (fixture) => {
    const open = await holding(fixture, (other, tx) => other.startOne(debounced("k", { input: "2" }), tx));
    const second = fixture.startOne(debounced("k", { input: "3" }));
    equal("it waits", await settlesSoon(second), false);
    await open.rollBack();
    match("a chain of its own", await inTime("the second start", second), { deduplicated: false });
    equal("one chain", (await chains(fixture)).length, 1);
  },

  "J3: a start finds the chain locked by another change, waits for nothing, and begins a chain of its own": async (
    fixture,
  ) => {
    const first = await fixture.startOne(debounced("k", { input: "1" }));
    const cancel = await holding(fixture, (other, tx) =>
      other.store.cancel([{ chainId: first.id, reason: undefined }], other.options(tx)),
    );
    const second = await inTime("the start", fixture.startOne(debounced("k", { input: "2" })));
    match("a chain of its own", second, { deduplicated: false });
    await cancel.rollBack();
    fixture.advance(2_000);
    equal("both run", (await fixture.claim(["a"])).length, 2);
  },

  "a claim passes by a chain that an open transaction puts a start into, and takes the others": async (fixture) => {
    const [first, second] = await fixture.start([debounced("k"), debounced("l")]);
    fixture.advance(1_999);
    const open = await holding(fixture, (other, tx) => other.startOne(debounced("k", { input: "2" }), tx));
    fixture.advance(1);
    match("the other", only("one", await inTime("the claim", fixture.claim(["a"]))), { id: second?.id });
    await open.rollBack();
    match("then this one", only("one", await fixture.claim(["a"])), { id: first?.id, input: "{}" });
  },

  "an attempt ends while an open transaction has moved the key of its chain to another one, whichever way it ends":
    async (fixture) => {
      for (const end of [completed, failed]) {
        await fixture.startOne(debounced("k"));
        fixture.advance(5_000);
        const { fence } = await fixture.claimOne("a");
        const open = await holding(fixture, (other, tx) => other.startOne(debounced("k"), tx));
        const request = { outcomes: [end(fence)], claim: undefined };
        const reply = await inTime("the exchange", fixture.store.exchange(request, fixture.options()));
        equal(
          "settled",
          reply.settled.map(({ status }) => status),
          ["settled"],
        );
        await open.rollBack();
        fixture.advance(5_000);
      }
    },

  "retention passes by the chain whose key an open transaction has locked, and waits for nothing": async (fixture) => {
    const first = await fixture.startOne(debounced("k"));
    fixture.advance(2_000);
    await fixture.settled(completed((await fixture.claimOne("a")).fence));
    const open = await holding(fixture, (other, tx) => other.startOne(debounced("k"), tx));
    fixture.advance(1_000);
    const pass = { completedMs: 500, failedMs: undefined, limit: 100 };
    equal("nothing", (await inTime("the pass", fixture.store.maintain(pass, fixture.options()))).removed, 0);
    await open.commit();
    fixture.advance(120_000);
    for (let passes = 0; passes < 5; passes += 1) await fixture.store.maintain(pass, fixture.options());
    equal("in the end", await fixture.store.getChains([first.id], fixture.options()), [undefined]);
  },
});
