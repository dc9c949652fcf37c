import { engineOf } from "../client/internal.ts";

/**
 * What `drain` takes.
 *
 * @example
 * const patiently: DrainOptions = { client, limitMs: 60_000 };
 * await drain(patiently);
 */
export interface DrainOptions {
  /** The client whose workers shall come to rest. */
  readonly client: object;
  /** Real time after which it gives up, in milliseconds. Default 10,000. */
  readonly limitMs?: number | undefined;
}

/**
 * Waits until nothing is runnable: no job of a type that a live worker handles is ready or running. Scheduled and blocked jobs
 * may be left; let time pass with `clock.advance`.
 *
 * @throws Error when the limit passes first; it names what is still to run.
 * @example
 * await client.startChain({ typeName: "order.place", input: { orderId } });
 * await drain({ client });
 */
export async function drain({ client, limitMs = 10_000 }: DrainOptions): Promise<void> {
  const engine = engineOf(client);
  const giveUpAt = performance.now() + limitMs;
  for (;;) {
    // Let what is under way be written before looking.
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    const workers = await engine.state.listWorkers(engine.callOptions());
    const handled = new Set(
      [...workers.map((worker) => worker.typeNames), ...engine.lifetime.workers].flatMap((names) => [...names]),
    );
    const counts = await engine.state.count(engine.callOptions());
    const runnable = counts.filter(
      ({ typeName, status, count }) =>
        (status === "ready" || status === "running") && count > 0 && handled.has(typeName),
    );
    if (runnable.length === 0) return;
    if (performance.now() > giveUpAt) {
      const names = runnable.map(({ typeName, status, count }) => `${count} ${status} "${typeName}"`).join(", ");
      throw new Error(`still to run after ${limitMs} ms: ${names}`);
    }
  }
}
