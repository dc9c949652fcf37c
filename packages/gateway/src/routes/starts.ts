import type { RemoteNext } from "chainwright/remote";
import { Refusal } from "../http/refusal.ts";
import { assertMay, type Caller } from "../keys.ts";
import { momentsOf } from "../moments.ts";
import type { Blocker, Started } from "../schemas.ts";

/** The most starts of a request, with those that are written as blockers. */
const mostStarts = 1_000;

type BlockerItem = NonNullable<RemoteNext["blockers"]>[number];
type StartItem = Extract<BlockerItem, { readonly input: unknown }>;

/** A start as the client takes it, once the key may start all that it writes. */
export function startOf(caller: Caller, { typeName, input = null, blockers, signals, ...rest }: Started): StartItem {
  assertMay(caller, "start", typeName);
  if (rest.whenStopped !== undefined) assertMay(caller, "start", rest.whenStopped);
  return {
    ...momentsOf(rest),
    typeName,
    input,
    ...(blockers !== undefined && { blockers: blockersOf(caller, blockers) }),
    ...(signals !== undefined && { signals: signals.map((signal) => signalOf(caller, signal)) }),
  };
}

/** Blockers as the client takes them. The key must be able to read them, because the job that waits is given their outputs. */
export function blockersOf(caller: Caller, blockers: readonly Blocker[]): readonly BlockerItem[] {
  return blockers.map((blocker) => {
    assertMay(caller, "read", blocker.typeName);
    return "input" in blocker ? startOf(caller, blocker) : blocker;
  });
}

/** A signal as the client takes it. */
export function signalOf<Sent extends NonNullable<Started["signals"]>[number]>(
  caller: Caller,
  { payload = null, ...sent }: Sent,
) {
  assertMay(caller, "start", sent.typeName);
  return { ...sent, payload };
}

interface WithBlockers {
  readonly blockers?: readonly Blocker[] | undefined;
}

/** Refuses a request that writes more starts than one statement should. `own`: those of the request itself. */
export function assertFewStarts(items: readonly WithBlockers[], own: number): void {
  if (own + startsIn(items) <= mostStarts) return;
  const message = `A request must write at most ${mostStarts} starts, with those of blockers; start some of them before.`;
  throw new Refusal(400, "invalid-request", message);
}

function startsIn(items: readonly WithBlockers[]): number {
  let count = 0;
  for (const { blockers = [] } of items) {
    const inline = blockers.filter((blocker) => "input" in blocker);
    count += inline.length + startsIn(inline);
  }
  return count;
}
