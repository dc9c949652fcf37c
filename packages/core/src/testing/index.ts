/**
 * For tests of what is built on Chainwright: a clock that does as it is told, and ways to wait for what happens.
 *
 * @module
 */
export { drain, type DrainOptions } from "./drain.ts";
export { recordEvents, type RecordedEvents } from "./record-events.ts";
export { createVirtualClock, type VirtualClock, type VirtualClockOptions } from "./virtual-clock.ts";
