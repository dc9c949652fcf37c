import { Refusal } from "./http/refusal.ts";
import type { Caller } from "./keys.ts";

/** Counts the requests that wait: in all, and of each key. */
export interface Parking {
  /** Takes a place, or refuses the request. Returns what gives it back. */
  enter(caller: Caller): () => void;
}

export function createParking({ perKey, most }: { readonly perKey: number; readonly most: number }): Parking {
  const byKey = new Map<string, number>();
  let parked = 0;
  return {
    enter({ name }) {
      const own = byKey.get(name) ?? 0;
      if (own >= perKey || parked >= most)
        throw new Refusal(
          429,
          "too-many-parked",
          "Too many requests wait for jobs or chains; ask with waitMs: 0, or later.",
        );
      byKey.set(name, own + 1);
      parked += 1;
      return () => {
        const left = (byKey.get(name) ?? 1) - 1;
        if (left === 0) byKey.delete(name);
        else byKey.set(name, left);
        parked -= 1;
      };
    },
  };
}
