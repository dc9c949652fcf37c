/*
 * A gate for each chain that others wait for. A start that waits for a chain takes a shared lock on the chain's first row. Postgres
 * grants shared locks even while the chain's end waits for an exclusive one, so a stream of overlapping starts could keep a chain
 * from ending. So starts first take an advisory lock, the gate, shared, and the chain's end takes it exclusively: advisory locks are
 * granted in the order of arrival. A transaction that has passed a gate may pass it again.
 */

/** Keeps the keys of gates different from other advisory locks of the application. */
const seed = 7_236_541;

/** The most gates of a transaction, because each takes a place in the server's lock table. Further chains have no gate. */
const mostGates = 100;

const key = (chain: string) => `uuid_hash_extended(${chain}, ${seed})`;

/** The variables that {@link passGates} needs. */
export const gateDeclarations = "  v_gates integer;";

/** Takes the gates of an array of chains shared, in the order of their ids. */
export const passGates = (
  chains: string,
) => `  v_gates := coalesce(nullif(current_setting('chainwright.gates', true), ''), '0')::integer + cardinality(${chains});
  if v_gates <= ${mostGates} then
    perform set_config('chainwright.gates', v_gates::text, true);
    perform pg_advisory_xact_lock_shared(${key("c.id")}) from (select id from unnest(${chains}) as u(id) order by id) c;
  end if;`;

/** An expression that takes a chain's gate exclusively: it waits for starts that have passed, and keeps others out until the commit. */
export const closeGate = (chain: string) => `pg_advisory_xact_lock(${key(chain)})`;

/** The same as a statement for chains that have gates; `before` is an array of the chains closed before. */
export const closeGates = (
  chain: string,
  before: string,
) => `      if coalesce(cardinality(${before}), 0) < ${mostGates} then
        perform ${closeGate(chain)};
      end if;`;
