import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import type { Dashboard } from "../src/create-dashboard.ts";
import { createNodeListener } from "../src/node.ts";
import { requestHeader } from "../src/protocol/routes.ts";
import { createStage } from "./stage.ts";

/** Mounts a dashboard at /jobs; returns its address and a function that stops it. */
type Recipe = (dashboard: Dashboard) => Promise<{ readonly origin: string; readonly close: () => Promise<void> }>;

async function listening(listener: RequestListener): Promise<{ origin: string; close: () => Promise<void> }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return { origin: originOf(server), close: async () => await closed(server) };
}

function originOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => void server.close(() => resolve()));
}

/** A framework that handles `Request` objects directly needs no server. */
function inMemory(handle: (request: Request) => Promise<Response> | Response) {
  const { fetch } = globalThis;
  globalThis.fetch = async (input, init) => await handle(new Request(input, init));
  return { origin: "http://127.0.0.1", close: async () => void (globalThis.fetch = fetch) };
}

const recipes: Readonly<Record<string, Recipe>> = {
  "node:http": async (dashboard) => {
    const listener = createNodeListener(dashboard);
    return await listening((request, response) => void listener(request, response));
  },
  Express: async (dashboard) => {
    const app = express();
    app.use("/jobs", createNodeListener(dashboard));
    app.use(express.json());
    return await listening(app);
  },
  Fastify: async (dashboard) => {
    const app = fastify();
    const listener = createNodeListener(dashboard);
    await app.register(async (scope) => {
      // The dashboard reads request bodies itself.
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser("*", (_request, _payload, done) => done(null));
      scope.all("/jobs", async (request, reply) => await listener(request.raw, reply.hijack().raw));
      scope.all("/jobs/*", async (request, reply) => await listener(request.raw, reply.hijack().raw));
    });
    await app.listen({ port: 0, host: "127.0.0.1" });
    return { origin: originOf(app.server), close: async () => await app.close() };
  },
  Hono: async (dashboard) => {
    const app = new Hono();
    app.all("/jobs/*", (context) => dashboard.fetch(context.req.raw));
    return inMemory((request) => app.fetch(request));
  },
  "a Next.js route handler": async (dashboard) => {
    // app/jobs/[[...path]]/route.ts exports one function per HTTP method, and Next calls it with a request.
    const handlers = new Map([
      ["GET", dashboard.fetch],
      ["POST", dashboard.fetch],
    ]);
    return inMemory(async (request) => (await handlers.get(request.method)?.(request)) ?? Response.error());
  },
};

it("after a body parser, the dashboard says that it must be mounted before it", async () => {
  const stage = await createStage({ basePath: "/jobs" });
  const app = express();
  app.use(express.json());
  app.use("/jobs", createNodeListener(stage.dashboard));
  const { origin, close } = await listening(app);
  const response = await fetch(`${origin}/jobs/-/act`, {
    method: "POST",
    headers: { "content-type": "application/json", origin, [requestHeader]: "1" },
    body: JSON.stringify({ action: "retry", ids: ["01a2001f-c84d-7000-af35-84eedaa3b12d"] }),
  });
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("before any body parser")]);
  await close();
});

describe.each(Object.entries(recipes))("on %s", (_name, recipe) => {
  it("serves pages, reads and actions", async () => {
    const stage = await createStage({ basePath: "/jobs" });
    const { id } = await stage.order("1", 0);
    await stage.work();
    const { origin, close } = await recipe(stage.dashboard);
    expect((await fetch(`${origin}/jobs`)).headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(await (await fetch(`${origin}/jobs/-/session`)).json()).toMatchObject({ role: "admin" });
    const response = await fetch(`${origin}/jobs/-/act`, {
      method: "POST",
      headers: { "content-type": "application/json", origin, [requestHeader]: "1" },
      body: JSON.stringify({ action: "retry", ids: [id] }),
    });
    expect(await response.json()).toMatchObject({ done: 1 });
    expect(await stage.client.getChain({ id })).toMatchObject({ status: "active" });
    await close();
  });
});
