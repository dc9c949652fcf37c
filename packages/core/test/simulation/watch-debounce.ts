import type { JobStart } from "../../src/model/job-start.ts";
import type { StartCall, StartReply } from "../../src/ports/start.ts";
import type { Reply } from "../../src/ports/reply.ts";
import type { StateAdapter } from "../../src/ports/state.ts";

interface Gathering {
  readonly startedAt: number;
  /** Of the last start that was committed. */
  input: string;
  /** Until when starts find it. */
  until: number;
}

/** A committed start with `debounce` or `throttle`. */
interface Gathered {
  readonly start: JobStart;
  readonly chain: StartReply;
}

/** What starts and claims should have made of the chains, and what is wrong about them. */
interface Model {
  apply(gathered: Gathered): Promise<void>;
  claimed(id: string, input: string): void;
}

/**
 * Notes what breaks J1, J2 or J3: a chain that is claimed with another input than that of its last committed start; a debounced chain
 * that is due later than `maxWaitMs` after its first start; two that wait with one key; a start that went into a chain which had been
 * claimed before.
 */
export function watchDebounce(store: StateAdapter, now: () => number, violations: string[]): StateAdapter {
  const model = createModel(store, now, violations);
  const held = new Map<unknown, Gathered[]>();
  const applyAll = async (all: readonly Gathered[]): Promise<void> => {
    for (const each of all) await model.apply(each);
  };
  return {
    ...store,
    async start(calls, options) {
      const replies = await store.start(calls, options);
      const all = gatheredIn(calls, replies);
      const open = held.get(options.tx);
      if (open === undefined) await applyAll(all);
      else open.push(...all);
      return replies;
    },
    async transaction(run, options) {
      let handle: unknown;
      const result = await store.transaction((tx) => {
        handle = tx;
        held.set(tx, []);
        return run(tx);
      }, options);
      await applyAll(held.get(handle) ?? []);
      held.delete(handle);
      return result;
    },
    async exchange(request, options) {
      const reply = await store.exchange(request, options);
      for (const { id, input } of reply.claimed) model.claimed(id, input);
      return reply;
    },
  };
}

function createModel(store: StateAdapter, now: () => number, violations: string[]): Model {
  const chains = new Map<string, Gathering>();
  const waiting = new Map<string, string>();

  const began = async (key: string, { start, chain }: Gathered): Promise<void> => {
    const before = waiting.get(key);
    const known = before === undefined ? undefined : chains.get(before);
    const [job] = before === undefined ? [] : await store.getJobs([before], {});
    const isThere = job?.gathers !== undefined && known !== undefined && known.until > now();
    if (isThere && start.deduplication?.scope === "debounce")
      violations.push(`chains ${before} and ${chain.id} both wait with the key ${key}`);
    chains.set(chain.id, { startedAt: chain.createdAt, input: start.input, until: Infinity });
    waiting.set(key, chain.id);
  };

  return {
    async apply(gathered) {
      const { start, chain } = gathered;
      const { deduplication: key } = start;
      if (key?.scope !== "debounce" && key?.scope !== "throttle") return;
      const own = chains.get(chain.id);
      if (!chain.deduplicated) await began(`${key.key} ${key.scope}`, gathered);
      else if (own !== undefined) own.input = start.input;
      else violations.push(`a start went into chain ${chain.id}, which had begun: none may be swallowed`);
      const known = chains.get(chain.id);
      if (key.scope !== "debounce" || known === undefined) return;
      known.until = now() + key.maxWaitMs;
      const [job] = await store.getJobs([chain.id], {});
      if ((job?.scheduledAt ?? 0) > known.startedAt + key.maxWaitMs)
        violations.push(`chain ${chain.id} is due later than maxWaitMs after its first start`);
    },
    claimed(id, input) {
      const known = chains.get(id);
      if (known === undefined) return;
      chains.delete(id);
      if (known.input !== input) violations.push(`chain ${id} runs without the input of its last start`);
    },
  };
}

function gatheredIn(
  calls: readonly StartCall[],
  replies: readonly Reply<readonly StartReply[]>[],
): readonly Gathered[] {
  return calls.flatMap(({ starts }, n) => {
    const reply = replies[n];
    if (reply?.ok !== true) return [];
    return starts.flatMap((start, index): Gathered[] => {
      const chain = reply.value[index];
      return chain === undefined ? [] : [{ start, chain }];
    });
  });
}
