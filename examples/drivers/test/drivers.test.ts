import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withFreshDatabase } from "@chainwright/backends/fresh-database";
import { outputOf } from "@chainwright/backends/program-output";
import { findBackend } from "@chainwright/backends/vitest";
import { describe, expect, it } from "vitest";

const program = (name: string) => new URL(`../src/${name}.ts`, import.meta.url);
const postgresUrl = await findBackend("postgres");
const redisUrl = await findBackend("redis");
const natsUrl = await findBackend("nats");

const receipt = "4200 cents, charged once under a key of 36 characters";
const wokenThrice = `A-1: ${receipt}\nA-2: ${receipt}\nA-3: ${receipt}\n`;

/** Compares the printed row without its class name, because libraries create rows of different classes. */
const expectTheOrder = (output: string) =>
  expect(output.replace(/^.*?\{/, "{")).toBe(`{\n  id: 'A-1',\n  receipt: '${receipt}'\n}\n`);

describe.each(["better-sqlite3", "node-sqlite"])("%s", (name) => {
  it("keeps the order and its chain in one file", async () => {
    const folder = await mkdtemp(join(tmpdir(), "chainwright-drivers-"));
    try {
      expectTheOrder(await outputOf(program(name), { args: [join(folder, "orders.db")] }));
    } finally {
      await rm(folder, { recursive: true });
    }
  }, 60_000);
});

it("pglite keeps the order and its chain in the process", async () => {
  expectTheOrder(await outputOf(program("pglite")));
}, 60_000);

describe.skipIf(postgresUrl === undefined)("on postgres", () => {
  it.each(["pg", "postgres-js"])(
    "%s keeps the order and its chain in one database",
    async (name) => {
      expectTheOrder(
        await withFreshDatabase(postgresUrl ?? "", (url) => outputOf(program(name), { env: { POSTGRES_URL: url } })),
      );
    },
    60_000,
  );

  it("a worker is woken by NOTIFY", async () => {
    const output = await withFreshDatabase(postgresUrl ?? "", (url) =>
      outputOf(program("listen-notify"), { env: { POSTGRES_URL: url } }),
    );
    expect(output).toBe(wokenThrice);
  }, 60_000);
});

it.skipIf(redisUrl === undefined).each(["redis", "ioredis"])(
  "a worker is woken through %s",
  async (name) => {
    expect(await outputOf(program(name), { env: { REDIS_URL: redisUrl ?? "" } })).toBe(wokenThrice);
  },
  60_000,
);

it.skipIf(natsUrl === undefined)(
  "a worker is woken through nats",
  async () => {
    expect(await outputOf(program("nats"), { env: { NATS_URL: natsUrl ?? "" } })).toBe(wokenThrice);
  },
  60_000,
);
