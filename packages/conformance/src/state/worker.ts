import type { Heartbeat } from "chainwright/adapter";
import { equal, match, only, rejected } from "../check.ts";
import { rules } from "./group.ts";
import type { Stage } from "./stage.ts";

function beat(stage: Stage, workerId: string, details: Partial<Heartbeat> = {}, tx?: unknown) {
  return stage.store.heartbeat(
    { workerId, name: "name", typeNames: ["a"], concurrency: 10, holds: 0, aliveForMs: 1_000, ...details },
    stage.options(tx),
  );
}

async function alive(stage: Stage): Promise<readonly string[]> {
  return (await stage.store.listWorkers(stage.options())).map(({ id }) => id);
}

export const workerCases = rules("worker", {
  "is listed as it said": async (stage) => {
    await beat(stage, "w-1", { name: "host 日本 'x'", typeNames: ["b", "a", "c c"], concurrency: 7, holds: 3 });
    equal("the worker", await stage.store.listWorkers(stage.options()), [
      {
        id: "w-1",
        name: "host 日本 'x'",
        typeNames: ["b", "a", "c c"],
        concurrency: 7,
        holds: 3,
        startedAt: stage.now(),
        lastSeenAt: stage.now(),
      },
    ]);
  },

  "a later word replaces the one before, its beginning stays": async (stage) => {
    await beat(stage, "w-1");
    const startedAt = stage.now();
    stage.advance(500);
    await beat(stage, "w-1", { holds: 4, typeNames: [], concurrency: 2, name: "new" });
    equal("the worker", await stage.store.listWorkers(stage.options()), [
      { id: "w-1", name: "new", typeNames: [], concurrency: 2, holds: 4, startedAt, lastSeenAt: stage.now() },
    ]);
  },

  "is listed while its last word holds": async (stage) => {
    await beat(stage, "w-1", { aliveForMs: 1_000 });
    stage.advance(999);
    equal("still", await alive(stage), ["w-1"]);
    stage.advance(1);
    equal("no longer", await alive(stage), []);
  },

  "that says it is gone is gone at once": async (stage) => {
    await beat(stage, "w-1");
    await beat(stage, "w-2");
    await beat(stage, "w-1", { aliveForMs: 0 });
    equal("the other", await alive(stage), ["w-2"]);
    await beat(stage, "w-3", { aliveForMs: 0 });
    equal("one that never was is no worker", await alive(stage), ["w-2"]);
  },

  "that comes back after it was gone begins anew": async (stage) => {
    await beat(stage, "w-1");
    await beat(stage, "w-1", { aliveForMs: 0 });
    stage.advance(100);
    await beat(stage, "w-1");
    match("the worker", only("one", await stage.store.listWorkers(stage.options())), { startedAt: stage.now() });
  },

  "that was silent for long and speaks again is listed again": async (stage) => {
    await beat(stage, "w-1", { aliveForMs: 10 });
    stage.advance(1_000);
    await beat(stage, "w-1");
    equal("listed", await alive(stage), ["w-1"]);
  },

  "stand in the order in which they began": async (stage) => {
    for (const id of ["w-c", "w-a", "w-b"]) {
      await beat(stage, id);
      stage.advance(1);
    }
    await beat(stage, "w-c");
    equal("order", await alive(stage), ["w-c", "w-a", "w-b"]);
  },

  "upkeep leaves those alive": async (stage) => {
    await beat(stage, "w-1", { aliveForMs: 10 });
    await beat(stage, "w-2");
    stage.advance(10);
    await stage.store.maintain({ completedMs: undefined, failedMs: undefined, limit: 10 }, stage.options());
    equal("alive", await alive(stage), ["w-2"]);
  },

  "many say so at the same time": async (stage) => {
    const other = await stage.connect();
    const ids = Array.from({ length: 20 }, (_, index) => `w-${index % 5}`);
    await Promise.all(
      ids.map((id, index) => {
        const own = index % 2 === 0 ? stage : other;
        return own.insist(() => beat(own, id));
      }),
    );
    equal("each once", (await alive(stage)).length, 5);
  },

  "in a transaction that rolls back nothing was said": async (stage) => {
    await rejected(
      "rejects",
      stage.store.transaction(async (tx) => {
        await beat(stage, "w-1", {}, tx);
        throw new Error("undo");
      }),
    );
    equal("nobody", await alive(stage), []);
  },
});
