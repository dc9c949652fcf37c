import type { DashboardFailure } from "./options.ts";

/** Where failures go that the application does not ask for. */
export function logFailure({ id, method, path, error }: DashboardFailure): void {
  console.error(`chainwright dashboard: ${method} ${path} failed (${id})`, error);
}
