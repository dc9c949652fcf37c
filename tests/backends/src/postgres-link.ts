import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { createFraming } from "./postgres-messages.ts";
import type { PostgresMessage } from "./postgres-messages.ts";

/** A message between a client and a server. */
export interface PassingMessage {
  readonly from: "client" | "server";
  /** See `PostgresMessage`. */
  readonly kind: string;
  /** The server replies to this message, and the client sends nothing that depends on the reply before it arrives. */
  readonly endsExchange: boolean;
  /** The message commits a transaction. */
  readonly commits: boolean;
}

/**
 * What happens to a message:
 * - `pass`, or a delay, which the messages after it wait for;
 * - `cut-before`, `cut-after`: the connection ends before or after the message, and both ends notice;
 * - `lose-reply`, for a message that ends an exchange: the server executes it and replies, and the connection ends instead of
 *   the reply;
 * - `insert`: another message of the same sender comes before it;
 * - `lose`: neither this message nor any later one arrives, in either direction, and for a while neither end notices.
 */
export type Fate =
  | "pass"
  | "cut-before"
  | "cut-after"
  | "lose-reply"
  | "lose"
  | { readonly delayMs: number }
  | { readonly insert: Buffer };

export interface Network {
  readonly fateOf: (message: PassingMessage) => Fate;
  /** How long until each end of a lost connection notices, as keep-alive would cause. Default: never. */
  readonly lostForMs?: { readonly client: number; readonly server: number } | undefined;
  /** Called when a reply was lost. `committed`: the reply confirmed a commit, also that of a statement outside a transaction. */
  readonly onReplyLost?: ((committed: boolean) => void) | undefined;
}

interface Ends {
  readonly client: Socket;
  readonly server: Socket;
}

interface Link {
  readonly ends: Ends;
  readonly network: Network;
  /** The connection was cut or lost: nothing passes any more. */
  isOver: boolean;
  /** The messages of the server are dropped until its reply is complete. */
  losesReply: boolean;
  /** One of the dropped messages reports an error. */
  hasFailed: boolean;
}

/** Passes the messages of one connection on as the network decides. */
export function linkPostgres(ends: Ends, network: Network): void {
  const link: Link = { ends, network, isOver: false, losesReply: false, hasFailed: false };
  for (const from of ["client", "server"] as const) {
    const { near, far } = turned(ends, from);
    const framing = createFraming(from);
    const line: PostgresMessage[] = [];
    let isMoving = false;
    const move = async (): Promise<void> => {
      if (isMoving) return;
      isMoving = true;
      for (let next = line.shift(); next !== undefined; next = line.shift()) await pass(link, from, next);
      isMoving = false;
    };
    near.on("data", (chunk: Buffer) => {
      for (const message of framing(chunk)) {
        if (message.kind === "encrypt") near.write("N");
        else line.push(message);
      }
      void move();
    });
    near.on("error", () => undefined);
    near.on("close", () => {
      if (!link.isOver) far.end();
    });
  }
}

/** Handles one message. Returns a promise if the next message has to wait. */
function pass(link: Link, from: PassingMessage["from"], message: PostgresMessage): Promise<void> | undefined {
  if (link.isOver) return undefined;
  if (from === "server" && link.losesReply) {
    drop(link, message);
    return undefined;
  }
  const { kind } = message;
  const endsExchange = from === "client" && (kind === "Q" || kind === "S");
  const commits = from === "client" && isCommit(message);
  const fate = link.network.fateOf({ from, kind, endsExchange, commits });
  if (typeof fate === "object" && "insert" in fate) {
    turned(link.ends, from).far.write(fate.insert);
    deliver(link, from, message);
    return undefined;
  }
  if (typeof fate === "object") return delay(fate.delayMs).then(() => deliver(link, from, message));
  if (fate === "cut-before") cut(link, from);
  else if (fate === "cut-after") cut(link, from, message.bytes);
  else if (fate === "lose") lose(link);
  else deliver(link, from, message);
  if (fate === "lose-reply") link.losesReply = true;
  return undefined;
}

function deliver({ ends, isOver }: Link, from: PassingMessage["from"], { bytes }: PostgresMessage): void {
  if (!isOver) turned(ends, from).far.write(bytes);
}

/** Earlier messages arrive, because the receiving end is closed in an orderly way; a reset could discard them. */
function cut(link: Link, from: PassingMessage["from"], last?: Buffer): void {
  link.isOver = true;
  const { near, far } = turned(link.ends, from);
  if (last === undefined) far.end();
  else far.end(last);
  near.resetAndDestroy();
}

function lose(link: Link): void {
  link.isOver = true;
  for (const side of ["client", "server"] as const) {
    const socket = link.ends[side];
    const afterMs = link.network.lostForMs?.[side];
    // If one end closes by itself, the other does not notice.
    socket.pause();
    if (afterMs === undefined) continue;
    const reset = setTimeout(() => socket.resetAndDestroy(), afterMs);
    socket.once("close", () => clearTimeout(reset));
  }
}

/** The reply is complete when the server is ready again. */
function drop(link: Link, { kind, bytes }: PostgresMessage): void {
  if (kind === "E") link.hasFailed = true;
  if (kind !== "Z") return;
  link.network.onReplyLost?.(!link.hasFailed && bytes[5] === outsideTransaction);
  cut(link, "server");
}

/** Whether a message is a commit, sent as a query or parsed as a statement without a name. */
function isCommit({ kind, bytes }: PostgresMessage): boolean {
  const start = kind === "Q" ? 5 : kind === "P" ? 6 : undefined;
  return start !== undefined && /^commit/i.test(bytes.toString("latin1", start, start + 6));
}

const outsideTransaction = "I".charCodeAt(0);

function turned(
  { client, server }: Ends,
  from: PassingMessage["from"],
): { readonly near: Socket; readonly far: Socket } {
  return from === "client" ? { near: client, far: server } : { near: server, far: client };
}
