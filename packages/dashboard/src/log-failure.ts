import type { DashboardFailure } from "./options.ts";

/** The default of `onError`. */
export function logFailure({ id, method, path, error }: DashboardFailure): void {
  console.error(`chainwright dashboard: ${method} ${path} failed (${id})`, error);
}
