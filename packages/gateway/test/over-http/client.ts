import { isDeepStrictEqual } from "node:util";
import { ChainwrightError, type AnyClient, type Chain } from "chainwright";
import { connect, type Connection } from "./connection.ts";
import { bodyOf } from "./moments.ts";
import { reasons } from "./reasons.ts";
import { outOfReach, thisCase, type CaseRun } from "./run-case.ts";

type Options = Readonly<Record<string, unknown>> & { readonly id: string };
type Call = (...given: readonly never[]) => unknown;
/** What of a client is called here, without types. */
type Loose = Readonly<Record<string, (...given: readonly unknown[]) => Promise<unknown>>>;

const real = new WeakMap<object, AnyClient>();
const runs = new WeakMap<object, CaseRun>();

/** The client behind one whose calls go over HTTP. */
export function behind(client: AnyClient): AnyClient {
  return real.get(client) ?? client;
}

export function caseOf(client: AnyClient): CaseRun {
  return runs.get(client) ?? thisCase();
}

/**
 * The same client; what HTTP carries goes to a gateway of it. What a gateway says about a chain must be what the client says. Calls that
 * the gateway does not have go to the client, as those of another program beside the gateway.
 */
export function overHttp(client: AnyClient): AnyClient {
  const run = thisCase();
  let connecting: Promise<Connection> | undefined;
  const connection = async (): Promise<Connection> => await (connecting ??= connect(run, client, { schedules: false }));
  const calls: Readonly<Record<string, Call>> = {
    ...startsOf(run, client, connection),
    ...readsOf(run, client, connection),
    ...changesOf(run, client, connection),
    transaction: () => outOfReach(run, reasons.transaction),
    close: async () => {
      await (await connecting)?.close();
      await client.close();
    },
  };
  const door = new Proxy(client, {
    get: (target, name): unknown =>
      typeof name === "string" && Object.hasOwn(calls, name) ? calls[name] : Reflect.get(target, name, target),
  });
  real.set(door, client);
  runs.set(door, run);
  return door;
}

function startsOf(run: CaseRun, client: AnyClient, connection: () => Promise<Connection>) {
  const start = async (items: readonly Options[]): Promise<readonly unknown[]> => {
    if (!isList(items)) return outOfReach(run, reasons.notJson);
    if (items.length > 100) return outOfReach(run, reasons.manyStarts);
    const chains = items.map((item) => bodyOf(run, item));
    const { body } = await (await connection()).request({ path: "/v1/chains", body: { chains } });
    const told = body["chains"] as readonly Record<string, unknown>[];
    return await Promise.all(
      told.map(async ({ status, deduplicated, ...chain }) => {
        const whole = await readBehind(client, String(chain["id"]));
        assertAgree(chain, whole);
        return { ...whole, status, deduplicated };
      }),
    );
  };
  return {
    startChain: async (options: Options) => {
      refuseTx(run, options);
      return (await start([options]))[0];
    },
    startChains: async (options: { readonly items: readonly Options[] }) => {
      refuseTx(run, options);
      return await start(options.items);
    },
  };
}

/** How long a request waits. */
const longestWaitMs = 30_000;
const againMs = 20;

function readsOf(run: CaseRun, client: AnyClient, connection: () => Promise<Connection>) {
  const read = async (id: string, waitMs: number, signal?: AbortSignal) => {
    const path = `/v1/chains/${encodeURIComponent(id)}?waitMs=${waitMs}`;
    return (await (await connection()).request({ method: "GET", path, signal })).body;
  };
  return {
    getChain: async (options: Options) => {
      refuseOthers(run, options, ["id"]);
      try {
        const told = await read(options.id, 0);
        const whole = await readBehind(client, options.id);
        // It may have ended in between.
        if (whole?.["status"] === told["status"]) assertAgree(told, whole);
        return whole;
      } catch (error) {
        if (error instanceof ChainwrightError && error.code === "chain-not-found") return undefined;
        throw error;
      }
    },
    awaitChain: async (
      { id }: Options,
      { timeoutMs, signal }: { readonly timeoutMs?: number; readonly signal?: AbortSignal } = {},
    ) => {
      if (timeoutMs !== undefined && timeoutMs < 0) return outOfReach(run, reasons.otherOptions);
      const givesUpAt = Date.now() + (timeoutMs ?? Infinity);
      for (;;) {
        signal?.throwIfAborted();
        const waitMs = Math.max(0, Math.min(longestWaitMs, givesUpAt - Date.now()));
        const told = await read(id, waitMs, signal).catch(againWhenBack);
        if (told === undefined) continue;
        if (told["status"] !== "active") return await ended(client, id, told);
        if (Date.now() >= givesUpAt) throw new ChainwrightError("await-timeout", `${id} is active.`);
      }
    },
  };
}

/** Retry-After says that a gateway whose store is away may be asked again. */
async function againWhenBack(error: unknown): Promise<undefined> {
  if (!(error instanceof ChainwrightError) || error.code !== "store-unavailable") throw error;
  await new Promise((resolve) => setTimeout(resolve, againMs));
}

/** Awaits a chain that has ended for its value or its error, which must be those that were told. */
async function ended(client: AnyClient, id: string, told: Readonly<Record<string, unknown>>): Promise<unknown> {
  assertAgree(told, await readBehind(client, id));
  return await (client as unknown as Loose)["awaitChain"]?.({ id });
}

function changesOf(run: CaseRun, client: AnyClient, connection: () => Promise<Connection>) {
  const post = async (options: Options, action: string, allowed: readonly string[]) => {
    refuseOthers(run, options, allowed);
    const { id, ...body } = options;
    return (await (await connection()).request({ path: `/v1/chains/${encodeURIComponent(id)}/${action}`, body })).body;
  };
  return {
    cancelChain: async (options: Options) => ({
      cancelled: (await post(options, "cancel", ["id", "reason"]))["cancelled"],
    }),
    retryChain: async (options: Options) => void (await post(options, "retry", ["id", "typeName", "input"])),
    signalChain: async (options: Options) =>
      await post(options, "signal", ["id", "typeName", "signal", "payload", "signalId"]),
    triggerJob: async (options: Options) => {
      refuseTx(run, options);
      const job = (await (client as unknown as Loose)["getJob"]?.({ id: options.id })) as
        | { readonly chainId: string }
        | undefined;
      if (job === undefined) throw new ChainwrightError("job-not-found", `There is no job ${options.id}.`);
      await post({ id: job.chainId }, "trigger", ["id"]);
    },
  };
}

function isList(given: unknown): boolean {
  return Array.isArray(given);
}

function refuseTx(run: CaseRun, options: object): void {
  if (typeof options !== "object") outOfReach(run, reasons.notJson);
  if (Reflect.get(options, "tx") !== undefined) outOfReach(run, reasons.transaction);
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** An address names one chain by its id. */
function refuseOthers(run: CaseRun, options: Options, allowed: readonly string[]): void {
  refuseTx(run, options);
  const isOther = Object.keys(options).some((name) => !allowed.includes(name) && options[name] !== undefined);
  if (isOther || !uuid.test(options.id)) outOfReach(run, reasons.otherOptions);
}

async function readBehind(client: AnyClient, id: string): Promise<Record<string, unknown> | undefined> {
  return (await (client as unknown as Loose)["getChain"]?.({ id })) as (Chain & Record<string, unknown>) | undefined;
}

/** What a gateway tells about a chain is what the client tells. */
function assertAgree(told: Readonly<Record<string, unknown>>, whole: Readonly<Record<string, unknown>> | undefined) {
  if (whole === undefined) return;
  for (const [name, value] of Object.entries(told)) {
    const own: unknown = JSON.parse(JSON.stringify(whole[name] ?? null));
    const shown = name === "error" && typeof own === "object" && own !== null ? without(own) : own;
    if (!isDeepStrictEqual(value, shown))
      throw new Error(`the gateway tells another ${name}: ${JSON.stringify(value)}, not ${JSON.stringify(shown)}`);
  }
}

/** What of an error stays inside. */
function without(error: object): object {
  return Object.fromEntries(Object.entries(error).filter(([key]) => key !== "stack" && key !== "workerId"));
}
