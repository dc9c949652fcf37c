import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { createFraming } from "./postgres-messages.ts";
import type { PostgresMessage } from "./postgres-messages.ts";

/** A message on its way. */
export interface PassingMessage {
  readonly from: "client" | "server";
  /** See `PostgresMessage`. */
  readonly kind: string;
  /** The server answers, and until then the client sends nothing that depends on it. */
  readonly endsExchange: boolean;
  /** The client asks for the commit of a transaction. */
  readonly commits: boolean;
}

/**
 * What becomes of a message:
 * - `pass`, or a delay, which those behind it wait for;
 * - `cut-before`, `cut-after`: the connection ends in front of it or behind it, and both ends hear of it;
 * - `lose-reply`, of one that ends an exchange: the server carries it out and answers, and then the connection ends instead;
 * - `insert`: another message of the same sender comes before it;
 * - `lose`: neither it nor anything behind it arrives, in either direction, and for a while neither end hears of it.
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
  /** After how long the ends of a lost connection hear of it: what keep-alive does for them. Default: never. */
  readonly lostForMs?: { readonly client: number; readonly server: number } | undefined;
  /** A reply was lost; whether it said that a transaction had committed, the one that a statement by itself is among them. */
  readonly onReplyLost?: ((committed: boolean) => void) | undefined;
}

interface Ends {
  readonly client: Socket;
  readonly server: Socket;
}

interface Link {
  readonly ends: Ends;
  readonly network: Network;
  /** Cut or lost: nothing passes any more. */
  isOver: boolean;
  /** What the server says is kept back until it has said its last word. */
  losesReply: boolean;
  /** What is kept back tells of an error. */
  hasFailed: boolean;
}

/** Lets the messages of one connection pass as the network has it. */
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

/** Nothing, or what there is to wait for before the next one passes. */
function pass(link: Link, from: PassingMessage["from"], message: PostgresMessage): Promise<void> | undefined {
  if (link.isOver) return undefined;
  if (from === "server" && link.losesReply) {
    keepBack(link, message);
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

/** What was sent before arrives; a connection that is reset takes it along. */
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
    // An end that hangs up by itself is not heard by the other one.
    socket.pause();
    if (afterMs === undefined) continue;
    const told = setTimeout(() => socket.resetAndDestroy(), afterMs);
    socket.once("close", () => clearTimeout(told));
  }
}

/** The server has said its last word when it is ready again. */
function keepBack(link: Link, { kind, bytes }: PostgresMessage): void {
  if (kind === "E") link.hasFailed = true;
  if (kind !== "Z") return;
  link.network.onReplyLost?.(!link.hasFailed && bytes[5] === outsideTransaction);
  cut(link, "server");
}

/** Sent as a query, or parsed as a statement without a name. */
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
