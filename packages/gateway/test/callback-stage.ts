import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findBackend } from "@chainwright/backends/vitest";
import { runChild } from "@chainwright/child-process";
import { createWorker } from "chainwright";
import { Pool } from "pg";
import { createCallbackProcessors, createCallbackSecret } from "../src/callbacks/index.ts";
import { createShop } from "./callback-shop.ts";
import { openStore, type StorePlace } from "./callback-store.ts";
import { createReceiver, type ReceiverOptions } from "./receiver.ts";

const path = fileURLToPath(new URL("fixtures/dying-process.ts", import.meta.url));
const flags = ["--conditions=@chainwright/source", "--experimental-strip-types", "--no-warnings"];
const secret = createCallbackSecret();
const postgresUrl = await findBackend("postgres");
let made = 0;

/** What a test opened: the last one is ended first. */
export type Ends = (() => Promise<unknown> | void)[];

/** Orders of another process. */
interface Orders {
  readonly fails: boolean;
  readonly delivers: boolean;
  readonly once?: boolean;
}

function sqlitePlace(ends: Ends): StorePlace {
  const folder = mkdtempSync(join(tmpdir(), "chainwright-callbacks-"));
  ends.push(() => rmSync(folder, { recursive: true }));
  return { kind: "sqlite", file: join(folder, "jobs.db") };
}

function postgresPlace(ends: Ends): StorePlace {
  const url = postgresUrl ?? "";
  const schema = `callbacks_${process.pid}_${made++}`;
  ends.push(async () => {
    const pool = new Pool({ connectionString: url, max: 1 });
    await pool.query(`drop schema if exists "${schema}" cascade`);
    await pool.end();
  });
  return { kind: "postgres", url, schema };
}

/** Stores that several processes share. */
export const sharedStores = [
  { name: "SQLite", placeOf: sqlitePlace, isMissing: false },
  { name: "Postgres", placeOf: postgresPlace, isMissing: postgresUrl === undefined },
];

/** A store, a receiver, and other processes that run chains with callbacks to it. */
export async function createCallbackStage(ends: Ends, placeOf: (ends: Ends) => StorePlace, tls?: ReceiverOptions) {
  const place = placeOf(ends);
  const { stateAdapter, close } = openStore(place);
  ends.push(close);
  await stateAdapter.migrate();
  const receiver = await createReceiver(secret, tls);
  ends.push(receiver.close);
  const { client } = createShop(stateAdapter);
  ends.push(client.close);
  const runOther = (orders: Orders, env?: Readonly<Record<string, string>>) => {
    const child = runChild({ path, orders: { ...orders, place, url: receiver.url, secret }, flags, errors: 2, env });
    ends.push(async () => {
      child.process.kill("SIGKILL");
      await child.ended;
    });
    return child;
  };
  const deliver = async (): Promise<void> => {
    const rules = { hosts: [receiver.host], allowHttp: true, allowPrivate: true };
    const callbacks = createCallbackProcessors({ client, ...rules, secrets: [secret] });
    const worker = createWorker({ client, processors: [callbacks] });
    await worker.start();
    ends.push(async () => await worker.stop());
  };
  return { client, receiver, runOther, deliver };
}
