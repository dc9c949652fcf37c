import type { Clock } from "../ports/clock.ts";
import type { StateAdapter } from "../ports/state.ts";

/**
 * A store whose calls take real time lets a virtual clock stand still while they are under way. Otherwise weeks could pass between
 * a claim and its reply, and the limits of the calls would run out. The system clock cannot be held: nothing is wrapped then.
 */
export function holdClockDuringCalls(state: StateAdapter, clock: Clock): StateAdapter {
  const hold = clock.holdDuring;
  if (hold === undefined || state.takesRealTime !== true) return state;
  return new Proxy(state, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...parameters: unknown[]): unknown => {
        const result: unknown = Reflect.apply(member, target, parameters);
        if (result instanceof Promise) hold(result);
        return result;
      };
    },
  });
}
