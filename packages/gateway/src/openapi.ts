import { OpenAPIHono } from "@hono/zod-openapi";
import { routes } from "./routes/table.ts";

/** The OpenAPI document of the gateway, as an object. */
export function openApiDocument(): object {
  const { openAPIRegistry, getOpenAPI31Document } = new OpenAPIHono();
  openAPIRegistry.registerComponent("securitySchemes", "key", { type: "http", scheme: "bearer" });
  for (const route of Object.values(routes)) openAPIRegistry.registerPath(route);
  return getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Chainwright gateway",
      version: "1",
      description: "Start, run and read chains. Moments are ISO 8601 text, durations are milliseconds.",
    },
  });
}
