import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "@chainwright/backends";
import { openSmallDisk } from "@chainwright/backends/small-disk";
import type { SmallDisk } from "@chainwright/backends/small-disk";
import { findBackend } from "@chainwright/backends/vitest";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { insist } from "../src/attack/insist.ts";
import { prepareStore } from "../src/store/place.ts";
import { withPostgres } from "../src/store/with-postgres.ts";
import { openFatedStore } from "../src/work/open-fated-store.ts";

const hasPostgres = (await findBackend("postgres")) !== undefined;

describe("an attack survives its own faults", () => {
  let disk: SmallDisk | undefined;
  beforeEach(() => {
    disk = openSmallDisk(200);
  });
  afterEach(() => disk?.close());

  it("a process that finds the disk full opens its store as soon as there is room", async ({ skip }) => {
    if (disk === undefined) return skip("it takes Linux and the right to mount");
    const place = { kind: "sqlite", path: join(disk.folder, "jobs.db"), library: "better-sqlite3" } as const;
    await prepareStore(place);
    disk.fill();
    // The first try is made at once, and fails.
    const opening = openFatedStore(place, "real");
    disk.free();
    const store = await opening;
    await store.notifyAdapter?.close();
    await store.close();
  });

  it.skipIf(!hasPostgres)("a setting is altered although the disk is full at first", async ({ skip }) => {
    if (disk === undefined) return skip("it takes Linux and the right to mount");
    const full = disk;
    await withServer({ dataDir: join(full.folder, "postgres") }, async (server) => {
      full.fill();
      let failures = 0;
      const alter = () =>
        withPostgres(server.url, (client) => client.query("alter system set default_transaction_read_only = off"));
      await insist(() =>
        alter().catch((error: unknown) => {
          failures += 1;
          full.free();
          throw error;
        }),
      );
      expect(failures).toBeGreaterThan(0);
    });
  });

  it.skipIf(!hasPostgres)(
    "a server that is killed under a statement of the attack fails that statement alone",
    async () => {
      await withServer({}, async (server) => {
        const slept = withPostgres(server.url, (client) =>
          Promise.all([client.query("select pg_sleep(60)"), server.kill()]),
        );
        await expect(slept).rejects.toThrow(/terminat|closed|reset/i);
      });
    },
  );

  it.skipIf(!hasPostgres)("a server that several restart at once runs afterwards", async () => {
    const folder = mkdtempSync(join(tmpdir(), "chainwright-restarts-"));
    try {
      await withServer({ dataDir: folder }, async (server) => {
        await Promise.all([server.kill(), server.restart(), server.kill(), server.restart(), server.restart()]);
        const { rows } = await withPostgres(server.url, (client) => client.query("select 1 as one"));
        expect(rows).toEqual([{ one: 1 }]);
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

/** Node 22 cannot parse `using`. */
async function withServer(
  options: NonNullable<Parameters<typeof startPostgres>[0]>,
  run: (server: Awaited<ReturnType<typeof startPostgres>>) => Promise<void>,
): Promise<void> {
  const server = await startPostgres(options);
  try {
    await run(server);
  } finally {
    await server.stop();
  }
}
