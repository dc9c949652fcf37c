// A Hono application with the dashboard at /jobs.
import { createDashboard } from "@chainwright/dashboard";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { authorize } from "./authorize.ts";
import { client, openShop } from "./shop.ts";

const shop = await openShop();
const dashboard = createDashboard({ client, basePath: "/jobs", authorize });

const app = new Hono();
app.get("/", (context) => context.text("The shop."));
app.all("/jobs/*", (context) => dashboard.fetch(context.req.raw));

const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: Number(process.env["PORT"] ?? 3000) }, (info) => {
  console.log(`http://127.0.0.1:${info.port}/jobs`);
});

async function shutDown(): Promise<void> {
  server.close();
  await shop.close();
  process.exit();
}
process.once("SIGTERM", () => void shutDown());
