import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import type { Journal } from "./journal.ts";
import { holder } from "./shop.ts";

/** How the store and the application's tables differ at the end from the replies that callers got. */
export interface Verdict {
  readonly acknowledged: number;
  /** Acknowledged chains that do not exist. */
  readonly lost: number;
  /** Chains that exist without an acknowledgement. If the caller did not get an error with an unknown outcome, `untold` counts it too. */
  readonly unacknowledged: number;
  readonly untold: number;
  /** Steps with more than one effect. */
  readonly twice: number;
  /** Transactions of which the chain exists without the application's row, or the row without the chain. */
  readonly halves: number;
  /** Chains that have not ended although no worker has their job. */
  readonly open: number;
}

const chains = "select j.id::text from chainwright.job j where j.id = j.chain_id";
const held = `select o.chain_id from chainwright.open_job o where o.leased_by = '${holder}'`;
const open = `${chains} and j.chain_status = 0 and j.id not in (${held})`;
const twice = "select chain_id::text from effect group by chain_id having count(*) > 1";
const halves = `
  select coalesce(j.id, u.chain_id)::text from (${chains.replace("j.id::text", "j.id")} and j.type_name = 'atomic') j
  full join user_order u on u.chain_id = j.id where j.id is null or u.chain_id is null
  union all
  select coalesce(j.id, e.chain_id)::text
  from (${chains.replace("j.id::text", "j.id")} and j.type_name = 'atomic' and j.chain_status = 1) j
  full join effect e on e.chain_id = j.id where j.id is null or e.chain_id is null`;

/** Waits, with a limit, until no chain is open, and compares. */
export async function judge(url: string, journal: Journal): Promise<Verdict> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const idsOf = async (text: string) => {
    const { rows } = await client.query<[string]>({ text, rowMode: "array" });
    return rows.map(([id]) => id);
  };
  try {
    for (const until = Date.now() + 20_000; Date.now() < until; await delay(50)) {
      if ((await idsOf(`${open} limit 1`)).length === 0) break;
    }
    const there = new Set(await idsOf(`${chains} and j.id not in (${held})`));
    const unacknowledged = [...there].filter((id) => !journal.acknowledged.has(id));
    return {
      acknowledged: journal.acknowledged.size,
      lost: [...journal.acknowledged].filter((id) => !there.has(id)).length,
      unacknowledged: unacknowledged.length,
      untold: unacknowledged.filter((id) => !journal.unknown.has(id)).length,
      twice: (await idsOf(twice)).length,
      halves: (await idsOf(halves)).length,
      open: (await idsOf(open)).length,
    };
  } finally {
    await client.end();
  }
}
