import type { PostgresDriver } from "@chainwright/postgres";
import type { FaultTx } from "../store/open-store.ts";
import { postgresStoreOf } from "../store/postgres-store.ts";
import { createTripwire, overWire } from "./tripwire.ts";
import type { Tripwire, TripwireOptions } from "./tripwire.ts";
import type { TrippedStore } from "./tripped-store.ts";

const broken = () => Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });

/** A Postgres store with an accident at one statement, including begin and commit. */
export function openTrippedPostgres(
  driver: PostgresDriver<FaultTx>,
  schema: string,
  options: Omit<TripwireOptions, "broken">,
): TrippedStore {
  const wire = createTripwire({ ...options, broken });
  // Each open transaction fails on the broken connection, and rolls back by itself.
  return { wire, store: postgresStoreOf(trippedDriver(driver, wire), schema), vanish: () => undefined };
}

function trippedDriver(inner: PostgresDriver<FaultTx>, wire: Tripwire): PostgresDriver<FaultTx> {
  return {
    query: (query, tx) => overWire(wire, () => inner.query(query, tx)),
    transaction: async (run) => {
      let isAtCommit = false;
      const value = await inner.transaction(async (tx) => {
        await overWire(wire, async () => undefined);
        const result = await run(tx);
        // An accident before the commit rolls back.
        isAtCommit = wire.enter();
        return result;
      });
      wire.leave(isAtCommit);
      return value;
    },
    // For all processes, one after the other.
    close: async () => undefined,
  };
}
