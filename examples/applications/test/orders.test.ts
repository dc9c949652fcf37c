import { withFreshDatabase } from "@chainwright/backends/fresh-database";
import { outputOf } from "@chainwright/backends/program-output";
import { findBackend } from "@chainwright/backends/vitest";
import { Pool } from "pg";
import { expect, it, vi } from "vitest";
import { startProgram } from "@chainwright/backends/start-program";
import type { RunningProgram } from "@chainwright/backends/start-program";

const url = await findBackend("postgres");
const programs = new URL("../src/orders/", import.meta.url);
const ids = Array.from({ length: 55 }, (_, index) => `A-${index}`);

it.skipIf(url === undefined)(
  "orders: with one of two workers killed, each order is paid once or undone and refused, gets one mail, and the stock is right",
  () =>
    withFreshDatabase(url ?? "", async (own) => {
      const env = { POSTGRES_URL: own };
      await outputOf(new URL("migrate.ts", programs), { env });
      const running = await Promise.all(
        ["server.ts", "worker.ts", "worker.ts"].map((file) => startProgram(new URL(file, programs), env)),
      );
      const pool = new Pool({ connectionString: own });
      try {
        await sellTea(running, pool);
      } finally {
        await Promise.all([pool.end(), ...running.map((program) => program.stop())]);
      }
    }),
  120_000,
);

async function sellTea([server, first, second]: readonly RunningProgram[], pool: Pool): Promise<void> {
  if (server === undefined || first === undefined || second === undefined) throw new Error("three programs are needed");
  await Promise.all(ids.map((id) => post(`${server.firstLine}/orders`, { id, skus: ["tea", "cup"] })));
  first.kill("SIGKILL");

  const [id = ""] = ids;
  await vi.waitFor(() => ended(`${server.firstLine}/orders`), { timeout: 60_000, interval: 200 });
  expect(await (await fetch(`${server.firstLine}/orders/${id}`)).json()).toEqual({ progress: "completed" });
  expect(`${first.errors()}${second.errors()}`).toContain("the provider closed the connection");

  const count = async (what: string) => {
    const { rows } = await pool.query<{ n: string }>(`select count(*) as n from ${what}`);
    return Number(rows[0]?.n);
  };
  // What undoes a refused order runs after its chain has ended.
  await vi.waitFor(async () => expect(await count("mails")).toBe(ids.length), { timeout: 60_000, interval: 200 });
  const paid = await count("orders where status = 'paid'");
  expect(paid).toBeGreaterThanOrEqual(ids.length - 5 - 6); // tea for all but 5, and 6 declined cards
  expect(paid).toBeLessThanOrEqual(49); // 55 orders, 6 of them with declined cards
  expect(await count("orders where status = 'refused'")).toBe(ids.length - paid);
  expect(await count(`payments`)).toBe(paid);
  expect(await count(`(select "orderId" from payments group by 1 having count(*) > 1) twice`)).toBe(0);
  const stock = [
    { sku: "cup", count: 1_000 - paid },
    { sku: "tea", count: 50 - paid },
  ];
  // An item that was reserved after its order had failed is released then.
  const read = async () =>
    (await pool.query<{ sku: string; count: number }>("select sku, count from stock order by sku")).rows;
  await vi.waitFor(async () => expect(await read()).toEqual(stock), { timeout: 60_000, interval: 200 });
}

async function post(address: string, body: object): Promise<void> {
  const response = await fetch(address, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });
  expect(response.status).toBe(202);
}

async function ended(address: string): Promise<void> {
  for (const id of ids) {
    const { progress } = (await (await fetch(`${address}/${id}`)).json()) as { readonly progress: string };
    expect(progress, id).not.toBe("active");
  }
}
