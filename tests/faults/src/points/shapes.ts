import { isChainwrightError, type ChainwrightErrorCode } from "chainwright";
import type { LongPart } from "../work/job-types.ts";
import type { FaultClient } from "../work/open-client.ts";

/** A call of an application, made again until it is acknowledged. */
export type Call = (client: FaultClient, id: string) => Promise<unknown>;

/** One chain shape: the calls that create such a chain, in order. */
export interface Shape {
  readonly name: string;
  readonly calls: readonly Call[];
  /** No trace of it may be found. */
  readonly doomed?: true;
}

const input = { delayMs: 0 };

/** A repeated call may find that the first one had succeeded although its reply was lost. */
function unless(code: ChainwrightErrorCode, call: Call): Call {
  return async (client, id) => {
    try {
      await call(client, id);
    } catch (error) {
      if (!isChainwrightError(error, code)) throw error;
    }
  };
}

const started = (call: Call): Call => unless("duplicate-id", call);
const park = started((client, id) => client.startChain({ typeName: "parked", id, input, schedule: { afterMs: 1e12 } }));
const inTransaction: Call = (client, id) =>
  client.transaction((tx) => client.startChain({ tx, typeName: "branch", id, input }));

const allParts = ["once", "save", "write", "report", "save", "once"] as const;
const long = (name: string, parts: readonly LongPart[], failures = 0): Shape => ({
  name: `long: ${name}`,
  calls: [started((client, id) => client.startChain({ typeName: "long", id, input: { ...input, parts, failures } }))],
});

export const shapes: readonly Shape[] = [
  { name: "line", calls: [started((client, id) => client.startChain({ typeName: "line", id, input }))] },
  // The id decides which branch it takes, so many points cover both.
  { name: "branch", calls: [started(inTransaction)] },
  {
    name: "loop",
    calls: [started((client, id) => client.startChain({ typeName: "loop", id, input: { ...input, rounds: 2 } }))],
  },
  {
    name: "join",
    calls: [
      started((client, id) => {
        const blockers = [
          { typeName: "part", input },
          { typeName: "part.value", input },
          { typeName: "part", input },
        ] as const;
        return client.startChain({ typeName: "join", id, input, blockers });
      }),
    ],
  },
  {
    name: "keyed, asked for twice",
    calls: [startKeyed, startKeyed],
  },
  {
    name: "stumble",
    calls: [
      started((client, id) =>
        client.startChain({ typeName: "stumble", id, input: { ...input, failures: 1, putOff: true } }),
      ),
    ],
  },
  {
    name: "broken and retried",
    calls: [started((client, id) => client.startChain({ typeName: "broken", id, input: { ...input, mended: false } }))],
  },
  {
    name: "parked and triggered",
    calls: [park, unless("job-not-scheduled", (client, id) => client.triggerJob({ id }))],
  },
  {
    name: "parked and completed",
    calls: [
      park,
      unless("chain-not-active", (client, id) => client.completeChain({ id, typeName: "parked", output: 1 })),
    ],
  },
  {
    name: "parked and cancelled",
    calls: [park, unless("chain-not-active", (client, id) => client.cancelChain({ id }))],
  },
  long("once", ["once", "once"]),
  long("once in a transaction", ["write", "write"]),
  long("checkpoints", ["save", "save"]),
  long("reports", ["report", "report"]),
  long("all that a handler notes", allParts),
  long("all that a handler notes, after a failure too", allParts, 1),
  {
    name: "several at once",
    calls: [
      (client) =>
        client.startChains({
          items: [
            { typeName: "line", input },
            { typeName: "part", input },
            { typeName: "part", input },
          ],
        }),
    ],
  },
  {
    name: "rolled back",
    doomed: true,
    calls: [
      async (client, id) => {
        const call = client.transaction(async (tx) => {
          await client.startChain({ tx, typeName: "line", id, input });
          throw new Error("rolled back, as planned");
        });
        await call.catch(() => undefined);
      },
    ],
  },
];

function startKeyed(client: FaultClient): Promise<unknown> {
  const key = "the key";
  return client.startChain({ typeName: "keyed", input: { ...input, key }, deduplication: { key } });
}
