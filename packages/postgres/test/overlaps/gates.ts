import { randomInt } from "node:crypto";
import { Client, Pool } from "pg";

/** A gate, and the call to run while another is stopped there. */
export interface Stop {
  readonly gate: string;
  readonly during: () => Promise<void>;
}

/**
 * Stops a call of one party inside the database, between two statements of an installed function, and lets it continue, so that
 * another call can come between a read and the write that relies on it.
 */
export interface Gates {
  /** The party whose calls can be stopped; it has one connection. */
  readonly stopped: Pool;
  /** The other parties. */
  readonly others: Pool;
  /** The gate after the one statement of a function that has this text. */
  after(name: string, text: string): string;
  /** The gates that a call of the stopped party passes, in order, each once. */
  visited(call: () => Promise<unknown>): Promise<readonly string[]>;
  /**
   * Runs `call` and stops it at these gates, in their order. At each gate the other call runs until it ends or waits for a lock.
   * Resolves when all have ended. If `call` never reaches a gate, the other call runs after it.
   */
  overlap(call: () => Promise<void>, stops: readonly Stop[]): Promise<void>;
  /** Whether one of the other parties waits for a lock. */
  otherWaits(): Promise<boolean>;
  close(): Promise<void>;
}

/** Deadlocks between the parties are detected soon, and reported by their calls. */
const options = "-c deadlock_timeout=20ms";

/** Puts a gate after each statement of each function of the schema. */
export async function openGates(url: string, schema: string): Promise<Gates> {
  const control = new Client({ connectionString: url });
  await control.connect();
  const { lockKey, stoppedName, otherName } = ownNames();
  const statements = await installGates(control, `"${schema}"`, lockKey);
  const party = { connectionString: url, options, idleTimeoutMillis: 0 };
  const stopped = new Pool({ ...party, max: 1, application_name: stoppedName });
  const others = new Pool({ ...party, max: 4, application_name: otherName });
  const heard: string[] = [];
  stopped.on("connect", (client) => client.on("notice", ({ message }) => heard.push(message ?? "")));

  const choose = (names: readonly string[]) =>
    stopped.query("select set_config('chainwright_test.gates', $1, false)", [names.join("|")]);
  const isStoppedAt = async (key: number) => {
    const text = "select 1 from pg_locks where locktype = 'advisory' and not granted and objid = $1";
    return (await control.query(text, [key])).rows.length > 0;
  };
  const waiting = async () => {
    const text = "select 1 from pg_stat_activity where application_name = $1 and wait_event_type = 'Lock'";
    return (await control.query(text, [otherName])).rows.length;
  };

  return {
    stopped,
    others,
    after: (name, text) => {
      const found = [...statements].filter(([gate, said]) => gate.startsWith(`${name} `) && said.includes(text));
      if (found.length !== 1 || found[0] === undefined)
        throw new Error(`${found.length} statements of ${name} have ${text}`);
      return found[0][0];
    },
    visited: async (call) => {
      heard.length = 0;
      await choose(["log"]);
      await call();
      await choose([]);
      return [...new Set(heard)];
    },
    overlap: async (call, stops) => {
      await choose(stops.map(({ gate }) => gate));
      for (const [n] of stops.entries()) await control.query("select pg_advisory_lock($1)", [lockKey + n + 1]);
      const calling = watch(call());
      const overlapping: Watched[] = [];
      for (const [n, { during }] of stops.entries()) {
        const key = lockKey + n + 1;
        await until(async () => calling.ended || (await isStoppedAt(key)));
        overlapping.push(watch(during()));
        await until(async () => overlapping.filter(({ ended }) => !ended).length <= (await waiting()));
        await control.query("select pg_advisory_unlock($1)", [key]);
      }
      await Promise.all([calling, ...overlapping].map(({ promise }) => promise));
    },
    otherWaits: async () => (await waiting()) > 0,
    close: async () => {
      await stopped.end();
      await others.end();
      await control.end();
    },
  };
}

/** Suites that run at the same time on one server have gates of their own. */
function ownNames() {
  const lockKey = 100 * randomInt(1, 20_000_000);
  return {
    lockKey,
    stoppedName: `chainwright test ${lockKey}: stopped`,
    otherName: `chainwright test ${lockKey}: other`,
  };
}

interface Watched {
  readonly promise: Promise<void>;
  ended: boolean;
}

function watch(promise: Promise<void>): Watched {
  const watched: Watched = { promise, ended: false };
  const end = () => {
    watched.ended = true;
  };
  promise.then(end, end);
  return watched;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition()));
}

/** Returns the statement before each gate. */
async function installGates(control: Client, schema: string, lockKey: number): Promise<ReadonlyMap<string, string>> {
  // Without a time limit of its own: some functions do not wait for locks.
  await control.query(`create function ${schema}.gate(p_gate text) returns integer language plpgsql set lock_timeout = 0 as $$
declare
  v_gates text[] := string_to_array(current_setting('chainwright_test.gates', true), '|');
  v_at integer := array_position(v_gates, p_gate);
begin
  if v_gates = '{log}' then
    raise notice '%', p_gate;
  elsif v_at is not null then
    v_gates[v_at] := 'passed';
    perform set_config('chainwright_test.gates', array_to_string(v_gates, '|'), false);
    perform pg_advisory_lock_shared(${lockKey} + v_at);
    perform pg_advisory_unlock_shared(${lockKey} + v_at);
  end if;
  return 0;
end $$`);
  const { rows } = await control.query<{ name: string; text: string }>(
    `select p.proname as name, pg_get_functiondef(p.oid) as text from pg_proc p
    where p.pronamespace = $1::regnamespace and p.proname <> 'gate' order by p.proname`,
    [schema],
  );
  const statements = new Map<string, string>();
  for (const { name, text } of rows) {
    const at = text.indexOf("\nbegin\n") + "\nbegin\n".length;
    let body = text.slice(0, at).replace("\ndeclare\n", "\ndeclare\n  v_gate integer;\n");
    for (const [n, statement] of statementsOf(text.slice(at)).entries()) {
      const gate = `${name} ${n}`;
      statements.set(gate, statement);
      // An assignment does not change `found`.
      body += statement.endsWith(";") ? `${statement} v_gate := ${schema}.gate('${gate}');` : statement;
    }
    await control.query(body);
  }
  return statements;
}

/** The text up to each semicolon outside of parentheses, strings and comments, and the rest. */
function statementsOf(body: string): readonly string[] {
  const statements: string[] = [];
  let [text, depth] = ["", 0];
  for (const [token] of body.matchAll(/--.*|E'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"[^"]*"|[^]/g)) {
    text += token;
    if (token === "(") depth += 1;
    if (token === ")") depth -= 1;
    if (token !== ";" || depth > 0) continue;
    statements.push(text);
    text = "";
  }
  return [...statements, text];
}
