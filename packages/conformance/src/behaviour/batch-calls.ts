import type { AppFixture } from "./fixture.ts";
import type { Batch, BatchContext } from "./handlers.ts";

/** Every retry is due at once. */
export const retry = { maxAttempts: 20, backoff: { initialMs: 0, maxMs: 0, jitter: 0 } } as const;
/** Longer than a case takes. */
export const longMs = 14_000;

interface Begun {
  readonly inputs: readonly unknown[];
  readonly attempts: readonly number[];
}

/** Starts a worker that notes which jobs each call gets. */
export async function working(fixture: AppFixture, batch: Batch, options: { readonly maxAttempts?: number } = {}) {
  const calls: Begun[] = [];
  const worker = await fixture.work({
    work: {
      retry: { ...retry, ...options },
      batch: {
        ...batch,
        handler: (context) => {
          const { jobs } = context;
          calls.push({ inputs: jobs.map(({ input }) => input), attempts: jobs.map(({ attempt }) => attempt) });
          return batch.handler(context);
        },
      },
    },
  });
  return { calls, worker };
}

export async function startAll({ client }: AppFixture, inputs: readonly unknown[]) {
  return await client.startChains({ items: inputs.map((input) => ({ typeName: "work", input }) as const) });
}

type Started = Awaited<ReturnType<typeof startAll>>;

export async function statusesOf({ client }: AppFixture, chains: Started): Promise<readonly unknown[]> {
  const found = await Promise.all(chains.map(({ id }) => client.getChain({ id })));
  return found.map((chain) => (chain?.status === "completed" ? chain.output : chain?.status));
}

export async function untilEnded({ eventLog }: AppFixture, count: number): Promise<void> {
  await eventLog.untilMany(
    "the chains end",
    count,
    ({ type }) => type === "chain-completed" || type === "chain-failed",
  );
}

export const outputs = ({ jobs }: Pick<BatchContext, "jobs">) => jobs.map(({ input }) => `did ${String(input)}`);
export const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
