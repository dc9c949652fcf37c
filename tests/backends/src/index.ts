export { BackendMissingError } from "./missing.ts";
export { startNats } from "./nats.ts";
export { startPostgres } from "./postgres.ts";
export { provideBackend } from "./provide.ts";
export type { BackendName, ProvidedBackend } from "./provide.ts";
export { startRedis } from "./redis.ts";
export type { Server, ServerOptions } from "./server.ts";
export type { Origin, StartOptions } from "./sources.ts";
