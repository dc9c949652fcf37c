/*
 * A gate for each chain that others wait for. Whoever starts to wait for a chain shares the lock on its first row, and Postgres
 * lets such a lock be shared on and on while the chain's end waits to have the row for itself: a stream of transactions that
 * overlap would keep the chain from ending for as long as it lasts. So all of them share the chain's gate first, and its end
 * takes the gate alone: an advisory lock queues in the order of arrival, and a transaction that has passed may pass again.
 */

/** Sets the gates' keys apart from what else an application may lock by hash. */
const seed = 7_236_541;

/** A transaction passes so many gates, each of which takes a place in the server's table of locks; the chains beyond have none. */
const mostGates = 100;

const key = (chain: string) => `uuid_hash_extended(${chain}, ${seed})`;

/** Declarations of {@link passGates}. */
export const gateDeclarations = "  v_gates integer;";

/** Shares the gates of chains, an array, in the order of their ids. */
export const passGates = (
  chains: string,
) => `  v_gates := coalesce(nullif(current_setting('chainwright.gates', true), ''), '0')::integer + cardinality(${chains});
  if v_gates <= ${mostGates} then
    perform set_config('chainwright.gates', v_gates::text, true);
    perform pg_advisory_xact_lock_shared(${key("c.id")}) from (select id from unnest(${chains}) as u(id) order by id) c;
  end if;`;

/** An expression that waits until nobody passes a chain's gate any more, and keeps others out until the transaction ends. */
export const closeGate = (chain: string) => `pg_advisory_xact_lock(${key(chain)})`;

/** The same as a statement, for as many chains as have gates; `before`: an array of those that came before. */
export const closeGates = (
  chain: string,
  before: string,
) => `      if coalesce(cardinality(${before}), 0) < ${mostGates} then
        perform ${closeGate(chain)};
      end if;`;
