import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runChild } from "@chainwright/child-process";
import { createSqliteStateAdapter } from "@chainwright/sqlite";
import { nodeSqlite } from "@chainwright/sqlite/node-sqlite";
import { createWorker } from "chainwright";
import { afterEach, expect, it } from "vitest";
import { createCallbackProcessors, createCallbackSecret } from "../src/callbacks/index.ts";
import { createShop } from "./callback-shop.ts";
import { createReceiver } from "./receiver.ts";

const path = fileURLToPath(new URL("fixtures/dying-process.ts", import.meta.url));
const flags = ["--conditions=@chainwright/source", "--experimental-strip-types", "--no-warnings"];
const secret = createCallbackSecret();
const ends: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function createStage() {
  const folder = mkdtempSync(join(tmpdir(), "chainwright-callbacks-"));
  ends.push(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "jobs.db");
  const stateAdapter = createSqliteStateAdapter({ driver: nodeSqlite(file) });
  await stateAdapter.migrate();
  ends.push(stateAdapter.close);
  const receiver = await createReceiver(secret);
  ends.push(receiver.close);
  const { client } = createShop(stateAdapter);
  ends.push(client.close);
  const runOther = (orders: { readonly fails: boolean; readonly delivers: boolean }) => {
    const child = runChild({ path, orders: { ...orders, file, url: receiver.url, secret }, flags, errors: 2 });
    ends.push(() => void child.process.kill("SIGKILL"));
    return child;
  };
  const deliver = async (): Promise<void> => {
    const rules = { hosts: [receiver.host], allowHttp: true, allowPrivate: true };
    const callbacks = createCallbackProcessors({ client, ...rules, secrets: [secret] });
    const worker = createWorker({ client, processors: [callbacks] });
    await worker.start();
    ends.push(async () => await worker.stop());
  };
  return { receiver, runOther, deliver };
}

it.each([
  { name: "completed", fails: false },
  { name: "failed", fails: true },
])("a callback survives the process in which its chain has $name", { timeout: 60_000 }, async ({ name, fails }) => {
  const { receiver, runOther, deliver } = await createStage();
  const child = runOther({ fails, delivers: false });
  await child.begun;
  child.process.kill("SIGKILL");
  await child.ended;
  expect(receiver.received).toEqual([]);
  await deliver();
  await receiver.count(1);
  expect(receiver.received.map(({ event }) => event.type)).toEqual([`chain.${name}`]);
});

it(
  "a callback whose process is killed while it delivers is delivered by another, with the same id",
  {
    timeout: 60_000,
  },
  async () => {
    const { receiver, runOther, deliver } = await createStage();
    const killed = Promise.withResolvers<void>();
    receiver.replies.push(() => killed.resolve());
    const child = runOther({ fails: false, delivers: true });
    await killed.promise;
    child.process.kill("SIGKILL");
    await child.ended;
    await deliver();
    await receiver.count(2);
    const [first, second] = receiver.received;
    expect(second).toEqual(first);
  },
);
