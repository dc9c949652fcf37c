import type { GatewayFailure } from "./options.ts";

/** The default of `onError`. */
export function logFailure({ id, method, path, error }: GatewayFailure): void {
  console.error(`chainwright gateway: ${method} ${path} failed (${id})`, error);
}
