import { createRoute, z } from "@hono/zod-openapi";
import { bodies, params, queries, replies } from "../schemas.ts";

const json = (schema: z.ZodType) => ({ content: { "application/json": { schema } } });
const body = (schema: z.ZodType) => ({ body: { ...json(schema), required: true } });
const ok = (schema: z.ZodType, description: string) => ({ ...json(schema), description });
const chainId = z.object({ id: params.id.openapi({ param: { name: "id", in: "path" } }) });
const failure = (description: string) => ok(replies.error, description);
const security = [{ key: [] }];

const common = {
  400: failure("The request is not valid."),
  401: failure("No key, or an unknown one."),
  403: failure("The key lacks the right."),
  503: failure("The store or the gateway is away: try again after Retry-After."),
};
const sized = { 413: failure("The body or a payload is too large."), 415: failure("Not application/json.") };
const found = { 404: failure("There is no such chain."), 409: failure("The chain is in another state.") };
const parked = { 429: failure("Too many requests wait.") };

/** The routes: from them come the OpenAPI document and what is served. */
export const routes = {
  start: createRoute({
    method: "post",
    path: "/v1/chains",
    operationId: "startChains",
    security,
    request: { ...body(bodies.start), headers: z.object({ "idempotency-key": z.string().optional() }) },
    responses: {
      201: ok(replies.start, "Started."),
      200: ok(replies.start, "All of them were started before, with the same keys."),
      ...common,
      ...sized,
      409: failure("An id is taken."),
      422: failure("The idempotency key was used for another input."),
    },
  }),
  read: createRoute({
    method: "get",
    path: "/v1/chains/{id}",
    operationId: "readChain",
    security,
    request: { params: chainId, query: queries.read },
    responses: { 200: ok(replies.chain, "The chain."), ...common, 404: found[404], ...parked },
  }),
  exchange: createRoute({
    method: "post",
    path: "/v1/exchange",
    operationId: "exchange",
    security,
    request: body(bodies.exchange),
    responses: {
      200: ok(replies.exchange, "The results of the outcomes, and the claimed jobs."),
      ...common,
      ...sized,
      409: ok(replies.exchange, "The only outcome is lost, and nothing was claimed."),
      ...parked,
    },
  }),
  leases: createRoute({
    method: "post",
    path: "/v1/leases",
    operationId: "extendLeases",
    security,
    request: body(bodies.leases),
    responses: { 200: ok(replies.leases, "What was not extended."), ...common, ...sized },
  }),
  cancel: createRoute({
    method: "post",
    path: "/v1/chains/{id}/cancel",
    operationId: "cancelChain",
    security,
    request: { params: chainId, ...body(bodies.cancel) },
    responses: { 200: ok(replies.cancelled, "Cancelled."), ...common, ...sized, ...found },
  }),
  retry: createRoute({
    method: "post",
    path: "/v1/chains/{id}/retry",
    operationId: "retryChain",
    security,
    request: { params: chainId, ...body(bodies.retry) },
    responses: { 200: ok(replies.done, "Active again."), ...common, ...sized, ...found },
  }),
  trigger: createRoute({
    method: "post",
    path: "/v1/chains/{id}/trigger",
    operationId: "triggerChain",
    security,
    request: { params: chainId, ...body(bodies.trigger) },
    responses: { 200: ok(replies.done, "Its step is ready."), ...common, ...sized, ...found },
  }),
  signal: createRoute({
    method: "post",
    path: "/v1/chains/{id}/signal",
    operationId: "signalChain",
    security,
    request: { params: chainId, ...body(bodies.signal) },
    responses: { 200: ok(replies.signalled, "Delivered."), ...common, ...sized, ...found },
  }),
  types: createRoute({
    method: "get",
    path: "/v1/types",
    operationId: "listTypes",
    security,
    responses: { 200: ok(replies.types, "The job types that the key may see."), ...common },
  }),
  health: createRoute({
    method: "get",
    path: "/healthz",
    operationId: "health",
    responses: { 200: ok(replies.health, "The store responds."), 503: ok(replies.health, "It does not.") },
  }),
};

export type RouteName = keyof typeof routes;
