/**
 * OpenTelemetry for Chainwright: traces that cross processes, metrics by the messaging conventions.
 *
 * @module
 */
export { observeCounts, type ObserveCountsOptions } from "./observe-counts.ts";
export { createOtelObserver, type OtelObserver, type OtelObserverOptions } from "./observer.ts";
