import { withPostgres } from "../store/with-postgres.ts";
import { sessionPrefix } from "../store/postgres-client.ts";
import type { Attack } from "./plan.ts";
import { unlessOver } from "./unless-over.ts";

/** Ends sessions of the processes or cancels their statements; prefers sessions in a transaction. */
export async function attackSessions(attack: Attack): Promise<void> {
  const { server, chance, tally } = attack;
  if (server === undefined) return;
  while (!attack.over) {
    await unlessOver(attack, chance.between(50, 600));
    const ends = chance.next() < 0.6;
    const call = ends ? "pg_terminate_backend" : "pg_cancel_backend";
    const order = chance.next() < 0.7 ? "(state like 'idle in%') desc, (state = 'active') desc, " : "";
    const victim = `select pid from pg_stat_activity where application_name like '${sessionPrefix}%' order by ${order}random() limit 1`;
    try {
      await withPostgres(server.url, (client) => client.query(`select ${call}(pid) from (${victim}) victim`));
      if (ends) tally.sessionsEnded += 1;
      else tally.statementsCancelled += 1;
    } catch {
      // The server is away.
    }
  }
}
