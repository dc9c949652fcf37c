import { provideBackend } from "@chainwright/backends";

/** Starts a server, or takes that of `POSTGRES_URL`, which names it for the programs that run. */
export async function providePostgres(): Promise<{ stop(): Promise<void> }> {
  const backend = await provideBackend("postgres", { settings: { fsync: "off", max_connections: "200" } });
  if (backend !== undefined) process.env["POSTGRES_URL"] = backend.url;
  return { stop: async () => backend?.server?.stop() };
}
