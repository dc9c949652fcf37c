import { withFreshDatabase } from "@chainwright/backends/fresh-database";
import { findBackend } from "@chainwright/backends/vitest";
import { expect, it, vi } from "vitest";
import { startProgram } from "@chainwright/backends/start-program";

const url = await findBackend("postgres");
const folder = new URL("../src/newsletter/", import.meta.url);

it.skipIf(url === undefined)(
  "newsletter: the route handler answers with the output of the worker in another process, and refuses what is no address",
  () =>
    withFreshDatabase(url ?? "", async (own) => {
      vi.stubEnv("POSTGRES_URL", own);
      const { stateAdapter, sql, close } = await import("../src/newsletter/client.ts");
      await stateAdapter.migrate();
      const { POST } = await import("../src/newsletter/route.ts");
      const worker = await startProgram(new URL("worker.ts", folder), { POSTGRES_URL: own });
      try {
        const ada = await POST(requestOf("ada@example.com"));
        expect(await ada.json()).toEqual({ mailed: true });
        const wrong = await POST(requestOf("no address"));
        expect(wrong.status).toBe(400);
        expect(await wrong.json()).toEqual({ error: expect.stringContaining("email") });
        expect(await sql`select email from subscribers`).toEqual([{ email: "ada@example.com" }]);
      } finally {
        await worker.stop();
        await close();
      }
    }),
  60_000,
);

function requestOf(email: string): Request {
  return new Request("http://localhost/api/subscribe", { method: "POST", body: JSON.stringify({ email }) });
}
