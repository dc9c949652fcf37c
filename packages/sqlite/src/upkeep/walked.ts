import type { Store } from "../store.ts";

/** How far retention has walked: every chain up to there is deleted or has an entry in the table of expiries. */
export interface Walked {
  read(): number;
  write(seq: number): void;
  /** Called after a deletion, because the highest number is used again, for a chain that no walk has read. */
  lower(): void;
}

export function createWalked({ tables: t, sql }: Store): Walked {
  const read = sql<{ value: string }>(`select value from ${t.meta} where key = 'retention'`);
  const write = sql(
    `insert into ${t.meta} (key, value) values ('retention', ?) on conflict (key) do update set value = excluded.value`,
  );
  const highest = sql<{ seq: number | null }>(`select max(seq) as seq from ${t.job}`);
  const walked = (): number => Number(read.get()?.value ?? 0);
  return {
    read: walked,
    write: (seq) => write.run(String(seq)),
    lower: () => {
      const most = highest.get()?.seq ?? 0;
      if (walked() > most) write.run(String(most));
    },
  };
}
