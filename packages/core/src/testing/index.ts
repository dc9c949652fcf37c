/**
 * For tests of applications on Chainwright: a virtual clock, and ways to wait for events.
 *
 * @module
 */
export { drain, type DrainOptions } from "./drain.ts";
export { recordEvents, type RecordedEvents } from "./record-events.ts";
export { createVirtualClock, type VirtualClock, type VirtualClockOptions } from "./virtual-clock.ts";
