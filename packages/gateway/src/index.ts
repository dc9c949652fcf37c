/**
 * An HTTP gateway for Chainwright: programs in any language start, run and read chains.
 *
 * @module
 */
export { createGateway, type Gateway } from "./create-gateway.ts";
export { jsonSchemaOf } from "./json-schema.ts";
export { createGatewayKey, hashKey } from "./keys.ts";
export type {
  GatewayAuditEntry,
  GatewayFailure,
  GatewayKey,
  GatewayKeys,
  GatewayLimits,
  GatewayOptions,
  GatewayScope,
  GatewayVerb,
} from "./options.ts";
