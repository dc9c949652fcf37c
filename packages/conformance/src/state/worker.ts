import type { Heartbeat } from "chainwright/adapter";
import { equal, match, only, rejected } from "../check.ts";
import { rules } from "./group.ts";
import type { StateFixture } from "./fixture.ts";

function beat(fixture: StateFixture, workerId: string, details: Partial<Heartbeat> = {}, tx?: unknown) {
  return fixture.store.heartbeat(
    { workerId, name: "name", typeNames: ["a"], concurrency: 10, holds: 0, aliveForMs: 1_000, ...details },
    fixture.options(tx),
  );
}

/** What is listed of a worker that reports nothing else. */
const saidNothing = { packageVersion: undefined, codeVersion: undefined, versions: {}, pools: [null] };

async function alive(fixture: StateFixture): Promise<readonly string[]> {
  return (await fixture.store.listWorkers(fixture.options())).map(({ id }) => id);
}

export const workerCases = rules("worker", {
  "is listed with the values of its heartbeat": async (fixture) => {
    await beat(fixture, "w-1", { name: "host 日本 'x'", typeNames: ["b", "a", "c c"], concurrency: 7, holds: 3 });
    equal("the worker", await fixture.store.listWorkers(fixture.options()), [
      {
        id: "w-1",
        name: "host 日本 'x'",
        typeNames: ["b", "a", "c c"],
        concurrency: 7,
        schemaVersion: (await fixture.store.schema()).newest,
        ...saidNothing,
        holds: 3,
        startedAt: fixture.now(),
        lastSeenAt: fixture.now(),
      },
    ]);
  },

  "is listed with the package and code that it runs, the versions that it reads and the pools that it serves": async (
    fixture,
  ) => {
    const said = {
      packageVersion: "1.2.3-beta.4",
      codeVersion: 2 ** 53 - 1,
      versions: { a: 3, "日本 'x'": 2 },
      pools: ["gpu", null],
    };
    await beat(fixture, "w-1", said);
    match("the worker", only("one", await fixture.store.listWorkers(fixture.options())), said);
    const later = { packageVersion: "1.2.3", codeVersion: 0, versions: {}, pools: [null] };
    await beat(fixture, "w-1", later);
    match("replaced", only("one", await fixture.store.listWorkers(fixture.options())), later);
    await beat(fixture, "w-1");
    match("said no more", only("one", await fixture.store.listWorkers(fixture.options())), saidNothing);
  },

  "a later heartbeat replaces the previous one and keeps the start time": async (fixture) => {
    await beat(fixture, "w-1");
    const startedAt = fixture.now();
    const { newest: schemaVersion } = await fixture.store.schema();
    fixture.advance(500);
    await beat(fixture, "w-1", { holds: 4, typeNames: [], concurrency: 2, name: "new" });
    equal("the worker", await fixture.store.listWorkers(fixture.options()), [
      {
        id: "w-1",
        name: "new",
        typeNames: [],
        concurrency: 2,
        schemaVersion,
        ...saidNothing,
        holds: 4,
        startedAt,
        lastSeenAt: fixture.now(),
      },
    ]);
  },

  "is listed while its last heartbeat is valid": async (fixture) => {
    await beat(fixture, "w-1", { aliveForMs: 1_000 });
    fixture.advance(999);
    equal("still", await alive(fixture), ["w-1"]);
    fixture.advance(1);
    equal("no longer", await alive(fixture), []);
  },

  "a worker that reports its end is removed at once": async (fixture) => {
    await beat(fixture, "w-1");
    await beat(fixture, "w-2");
    await beat(fixture, "w-1", { aliveForMs: 0 });
    equal("the other", await alive(fixture), ["w-2"]);
    await beat(fixture, "w-3", { aliveForMs: 0 });
    equal("one that never was is no worker", await alive(fixture), ["w-2"]);
  },

  "a worker that returns after its end gets a new start time": async (fixture) => {
    await beat(fixture, "w-1");
    await beat(fixture, "w-1", { aliveForMs: 0 });
    fixture.advance(100);
    await beat(fixture, "w-1");
    match("the worker", only("one", await fixture.store.listWorkers(fixture.options())), { startedAt: fixture.now() });
  },

  "a worker that sends a heartbeat after a long silence is listed again": async (fixture) => {
    await beat(fixture, "w-1", { aliveForMs: 10 });
    fixture.advance(1_000);
    await beat(fixture, "w-1");
    equal("listed", await alive(fixture), ["w-1"]);
  },

  "workers are listed in the order of their starts": async (fixture) => {
    for (const id of ["w-c", "w-a", "w-b"]) {
      await beat(fixture, id);
      fixture.advance(1);
    }
    await beat(fixture, "w-c");
    equal("order", await alive(fixture), ["w-c", "w-a", "w-b"]);
  },

  "maintenance keeps workers that are alive": async (fixture) => {
    await beat(fixture, "w-1", { aliveForMs: 10 });
    await beat(fixture, "w-2");
    fixture.advance(10);
    await fixture.store.maintain({ completedMs: undefined, failedMs: undefined, limit: 10 }, fixture.options());
    equal("alive", await alive(fixture), ["w-2"]);
  },

  "many workers can send a heartbeat at the same time": async (fixture) => {
    const other = await fixture.connect();
    const ids = Array.from({ length: 20 }, (_, index) => `w-${index % 5}`);
    await Promise.all(
      ids.map((id, index) => {
        const own = index % 2 === 0 ? fixture : other;
        return own.insist(() => beat(own, id));
      }),
    );
    equal("each once", (await alive(fixture)).length, 5);
  },

  "a heartbeat in a transaction that rolls back has no effect": async (fixture) => {
    await rejected(
      "rejects",
      fixture.store.transaction(async (tx) => {
        await beat(fixture, "w-1", {}, tx);
        throw new Error("undo");
      }),
    );
    equal("no worker is alive", await alive(fixture), []);
  },
});
