import { Client, Pool } from "pg";

/**
 * Stops a call of one party inside the database, between two statements of one of our functions, and lets it continue: so
 * that another call can come between a look and the write that relies on it.
 */
export interface Gates {
  /** The party whose calls can be stopped; it has one connection. */
  readonly stopped: Pool;
  /** The other parties. */
  readonly others: Pool;
  /** The gates that the stopped party's call passes, in order, each once. */
  visited(call: () => Promise<unknown>): Promise<readonly string[]>;
  /**
   * Runs `call` until it reaches the gate, then `during` until it ends or waits for a lock, then both until they end.
   * Returns false if `call` never came to the gate: `during` ran after it.
   */
  overlap(gate: string, call: () => Promise<void>, during: () => Promise<void>): Promise<boolean>;
  close(): Promise<void>;
}

const [stoppedName, otherName] = ["chainwright test: stopped", "chainwright test: other"];
/** A deadlock between the parties is theirs to report, soon. */
const options = "-c deadlock_timeout=20ms";
const lockKey = 781_262;

/** Puts a gate after each statement of each function of the schema. */
export async function openGates(url: string, schema: string): Promise<Gates> {
  const quoted = `"${schema}"`;
  const control = new Client({ connectionString: url });
  await control.connect();
  await control.query(`create function ${quoted}.gate(p_gate text) returns integer language plpgsql as $$
begin
  if current_setting('chainwright_test.gate', true) = 'log' then
    raise notice '%', p_gate;
  elsif current_setting('chainwright_test.gate', true) = p_gate then
    perform set_config('chainwright_test.gate', '', false);
    perform pg_advisory_lock_shared(${lockKey});
    perform pg_advisory_unlock_shared(${lockKey});
  end if;
  return 0;
end $$`);
  const { rows } = await control.query<{ name: string; text: string }>(
    `select p.proname as name, pg_get_functiondef(p.oid) as text from pg_proc p
    where p.pronamespace = $1::regnamespace and p.proname <> 'gate' order by p.proname`,
    [quoted],
  );
  for (const { name, text } of rows) await control.query(gated(text, name, quoted));

  const stopped = new Pool({ connectionString: url, max: 1, application_name: stoppedName, options, idleTimeoutMillis: 0 });
  const others = new Pool({ connectionString: url, max: 4, application_name: otherName, options });
  const heard: string[] = [];
  stopped.on("connect", (client) => client.on("notice", ({ message }) => heard.push(message ?? "")));
  const choose = (gate: string) => stopped.query(`select set_config('chainwright_test.gate', $1, false)`, [gate]);
  const waiting = async (name: string, event: string) => {
    const found = await control.query(
      "select 1 from pg_stat_activity where application_name = $1 and wait_event_type = 'Lock' and wait_event like $2",
      [name, event],
    );
    return found.rows.length > 0;
  };

  return {
    stopped,
    others,
    visited: async (call) => {
      heard.length = 0;
      await choose("log");
      await call();
      await choose("");
      return [...new Set(heard)];
    },
    overlap: async (gate, call, during) => {
      await choose(gate);
      await control.query(`select pg_advisory_lock(${lockKey})`);
      const calling = watch(call());
      await until(async () => calling.ended || (await waiting(stoppedName, "advisory")));
      const reached = !calling.ended;
      const overlapping = watch(during());
      await until(async () => overlapping.ended || (await waiting(otherName, "%")));
      await control.query(`select pg_advisory_unlock(${lockKey})`);
      await Promise.all([calling.promise, overlapping.promise]);
      return reached;
    },
    close: async () => {
      await stopped.end();
      await others.end();
      await control.end();
    },
  };
}

function watch(promise: Promise<void>): { readonly promise: Promise<void>; readonly ended: boolean } {
  const watched = { promise, ended: false };
  const end = () => {
    watched.ended = true;
  };
  promise.then(end, end);
  return watched;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition()));
}

/** The function with a call of the gate after each of its statements. An assignment: it leaves `found` as it is. */
function gated(definition: string, name: string, schema: string): string {
  const at = definition.indexOf("\nbegin\n") + "\nbegin\n".length;
  const head = definition.slice(0, at).replace("\ndeclare\n", "\ndeclare\n  v_gate integer;\n");
  let [text, depth, gates] = ["", 0, 0];
  for (const [token] of definition.slice(at).matchAll(/--.*|E'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"[^"]*"|[^]/g)) {
    text += token;
    if (token === "(") depth += 1;
    if (token === ")") depth -= 1;
    if (token !== ";" || depth > 0) continue;
    text += ` v_gate := ${schema}.gate('${name} ${gates}');`;
    gates += 1;
  }
  return head + text;
}
