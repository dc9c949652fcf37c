import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import type { RetryOptions, RetryWhen } from "../../src/types/retry.ts";
import { createRig } from "../rig.ts";

/** Runs one job whose handler always fails, until its first attempt has ended. */
async function run(retry: RetryOptions, handler: () => unknown, advanceMs = 100) {
  const rig = createRig({ processors: { a: { retry, handler } } });
  const worker = rig.createWorker();
  await worker.start();
  const id = await rig.start("a");
  await rig.clock.advance(advanceMs);
  const job = await rig.job(id);
  await worker.stop();
  const mistakes = rig.events.all.flatMap((event) => (event.type === "handler-mistake" ? [event.error] : []));
  return { rig, id, job, mistakes };
}

const fail = (): never => {
  throw new Error("no");
};

describe("retry.when", () => {
  it("gets a thrown value of another realm, and any other thrown value, as it is", async () => {
    const foreign: unknown = runInNewContext("Object.assign(new TypeError('far'), { code: 'E_FAR' })");
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    for (const thrown of [foreign, undefined, null, "text", revoked.proxy]) {
      const seen: unknown[] = [];
      const when: RetryWhen = (error) => (seen.push(error), "fail");
      const { job, mistakes } = await run({ when }, () => Promise.reject(thrown));
      expect(seen.length === 1 && seen[0] === thrown).toBe(true);
      expect(mistakes).toEqual([]);
      expect(job?.status).toBe("failed");
    }
  });

  it('has decided "retry" if it reads an error that throws when it is read', async () => {
    const { proxy, revoke } = Proxy.revocable<{ code?: string }>({}, {});
    revoke();
    const thrown: unknown = proxy;
    const when: RetryWhen = (error) => ((error as { code?: string }).code === "E" ? "fail" : "retry");
    const { job, mistakes } = await run({ when }, () => Promise.reject(thrown));
    expect(job).toMatchObject({ status: "scheduled", attempt: 1 });
    expect(mistakes).toMatchObject([
      {
        name: "handler-result",
        message: 'retry.when of "a" threw an error. The attempt is retried as if it had returned "retry".',
        cause: { name: "TypeError" },
      },
    ]);
  });

  it("does not end the process with a promise that rejects, and does not begin the query of a lazy one", async () => {
    let queries = 0;
    // oxlint-disable-next-line unicorn/no-thenable -- the query of some database clients is one
    const lazy = Object.create({ then: () => (queries += 1) }) as object;
    const reject = (): unknown => runInNewContext("Promise.reject(new Error('far'))");
    for (const [decide, got] of [
      [reject, "; got a promise."],
      [() => lazy, "afterMs of retry.when"],
    ] as const) {
      const { job, mistakes } = await run({ when: decide as RetryWhen }, fail);
      expect(job).toMatchObject({ status: "scheduled", attempt: 1 });
      expect(mistakes).toMatchObject([{ message: expect.stringContaining(got) }]);
    }
    await new Promise(setImmediate);
    expect(queries).toBe(0);
  });

  it('has decided "retry" if what it returns throws when it is read', async () => {
    const poison = {
      get afterMs(): number {
        throw new Error("poison");
      },
    };
    const { job, mistakes } = await run({ when: () => poison }, fail);
    expect(job).toMatchObject({ status: "scheduled", attempt: 1 });
    expect(mistakes).toMatchObject([
      {
        message:
          'retry.when of "a" returned an object that throws. The attempt is retried as if it had returned "retry".',
        cause: { message: "poison" },
      },
    ]);
  });

  it("is asked about a result that cannot be stored", async () => {
    const seen: unknown[] = [];
    const when: RetryWhen = (error) => (seen.push(error), "fail");
    const { job } = await run({ when }, () => 1n);
    expect(seen).toMatchObject([{ code: "payload-not-serializable" }]);
    expect(job?.status).toBe("failed");
  });

  it("is asked about a result that the store refuses", async () => {
    const seen: unknown[] = [];
    const when: RetryWhen = (error) => (seen.push(error), "fail");
    const chainId = crypto.randomUUID();
    const rig = createRig({
      processors: {
        a: {
          retry: { when },
          handler: (context) => {
            const { continueWith } = context as { readonly continueWith: (next: object) => unknown };
            return continueWith({ typeName: "b", input: 1, blockers: [{ typeName: "c", input: 1, id: chainId }] });
          },
        },
      },
    });
    await rig.client.startChain({ typeName: "other", input: 1, id: chainId });
    const worker = rig.createWorker();
    await worker.start();
    const id = await rig.start("a");
    await rig.clock.advance(1_000);
    expect(seen).toMatchObject([{ code: expect.any(String) }]);
    expect(await rig.job(id)).toMatchObject({ status: "failed", attempt: 1 });
    await worker.stop();
  });

  it("is not asked when the worker stops, nor when the job was lost", async () => {
    const seen: unknown[] = [];
    const when: RetryWhen = (error) => (seen.push(error), "fail");
    const rig = createRig({
      processors: {
        a: {
          retry: { when },
          handler: (context) => {
            const { signal } = context as { readonly signal: AbortSignal };
            return new Promise((_, reject) => {
              signal.addEventListener("abort", () => reject(new Error("aborted")));
            });
          },
        },
      },
    });
    const worker = rig.createWorker();
    await worker.start();
    const lost = await rig.start("a");
    await rig.clock.advance(100);
    await rig.client.cancelChain({ id: lost });
    await rig.clock.advance(60_000);
    const stopped = await rig.start("a");
    await rig.clock.advance(100);
    const stopping = worker.stop({ timeoutMs: 10 });
    await rig.clock.advance(1_000);
    await stopping;
    expect(await rig.job(lost)).toMatchObject({ status: "cancelled" });
    expect(await rig.job(stopped)).toMatchObject({ status: "ready", attempt: 0 });
    expect(seen).toEqual([]);
  });

  it("is named by what explains the job, and not where maxAttempts and backoff decided", async () => {
    const summary = async (when: RetryWhen) => {
      const { rig, id } = await run({ when }, fail);
      return (await rig.client.explainChain({ id }))?.["summary"];
    };
    expect(await summary(() => ({ afterMs: 60_000 }))).toMatch(
      /Attempt 1 failed: Error: no\. The retry\.when of its processor decided what happened next\.$/,
    );
    expect(await summary(() => "retry")).toMatch(/Attempt 1 failed: Error: no\.$/);
  });
});
