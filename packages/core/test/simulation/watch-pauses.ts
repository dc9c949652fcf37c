import type { StateAdapter } from "../../src/ports/state.ts";

/**
 * Notes as violations that a claim takes a job of a type that was paused when the claim began. The store does what a call asks before the
 * call returns, so what is paused is known at each moment. Pauses with a time are left out.
 */
export function watchPauses(store: StateAdapter, violations: string[]): StateAdapter {
  const paused = new Set<string>();
  return {
    ...store,
    setPauses(request, options) {
      const done = store.setPauses(request, options);
      for (const { typeName, forMs } of request.pauses) {
        if (forMs === undefined) paused.add(typeName);
        else paused.delete(typeName);
      }
      for (const typeName of request.resume) paused.delete(typeName);
      return done;
    },
    async exchange(request, options) {
      const before = new Set(paused);
      const reply = await store.exchange(request, options);
      for (const { id, typeName } of reply.claimed)
        if (before.has(typeName)) violations.push(`job ${id} was claimed while "${typeName}" was paused`);
      return reply;
    },
  };
}
