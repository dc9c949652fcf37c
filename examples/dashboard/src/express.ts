// An Express application with the dashboard at /jobs.
import type { AddressInfo } from "node:net";
import { createDashboard } from "@chainwright/dashboard";
import { createNodeListener } from "@chainwright/dashboard/node";
import express from "express";
import { authorize } from "./authorize.ts";
import { client, openShop } from "./shop.ts";

const shop = await openShop();
const dashboard = createDashboard({ client, basePath: "/jobs", authorize });

const app = express();
app.use("/jobs", createNodeListener(dashboard)); // before any body parser, because the dashboard reads bodies itself
app.get("/", (_request, response) => void response.send("The shop."));

const server = app.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/jobs`);
});

async function shutDown(): Promise<void> {
  server.close();
  await shop.close();
  process.exit();
}
process.once("SIGTERM", () => void shutDown());
