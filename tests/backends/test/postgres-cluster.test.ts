import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startPostgresCluster } from "../src/postgres-cluster.ts";
import type { PostgresCluster } from "../src/postgres-cluster.ts";
import { findBackend } from "../src/vitest.ts";

const url = await findBackend("postgres");

describe.skipIf(url === undefined)("a cluster of Postgres", { timeout: 60_000 }, () => {
  let cluster: PostgresCluster;

  beforeAll(async () => {
    cluster = await startPostgresCluster({ standbys: 2, settings: { fsync: "off" } });
  }, 120_000);
  afterAll(() => cluster.stop());

  const ask = async (text: string, at = cluster.url): Promise<readonly unknown[]> => {
    const client = new Client({ connectionString: at });
    client.on("error", () => undefined);
    await client.connect();
    const { rows } = await client.query<unknown[]>({ text, rowMode: "array" });
    await client.end();
    return rows.flat();
  };

  it("leads clients to a promoted standby, which lacks the rows that it had not received", async () => {
    const [, lagging] = cluster.standbys;
    if (lagging === undefined) throw new Error("the cluster must have two standbys");
    await cluster.waitFor("ANY 1 (node_b, node_c)");
    await ask("create table kept as select 1 as n");
    await expect.poll(() => ask("select n from kept", lagging.server.url), { timeout: 10_000 }).toEqual([1]);
    lagging.holdBack();
    await ask("insert into kept values (2)");
    expect((await cluster.mostAdvanced()).name).toBe("node_b");
    await cluster.primary.server.kill();
    await cluster.promote(lagging);
    cluster.lead(lagging);
    expect(await ask("insert into kept values (3) returning n")).toEqual([3]);
    expect(await ask("select n from kept order by n")).toEqual([1, 3]);
  });
});
