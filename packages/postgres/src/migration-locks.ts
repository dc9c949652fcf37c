import { dollarTag } from "./sql-function.ts";

/*
 * The locks of a migration. No exchange runs while it has them, and those that come while it waits for one wait behind it.
 */

/**
 * How long the first try waits for the first table; each further one waits so much longer, up to the most. The transaction goes on
 * with the next try, because the functions that it has installed by then took longer than the locks take.
 */
const [firstMs, mostMs, tries] = [50, 500, 20];
/**
 * How long each try waits for each of the other tables, while no call can use the first one. A call may have one of them and wait for
 * that one, and then one of both has to give up: the migration, before calls do.
 */
const othersMs = 100;

/** Nearly every call uses it before the other tables: if no one else has it, there are few that have one of those. */
const usedFirst = /\.open_job$/;

/**
 * The statements of a migration in an order in which tables that exist are locked for a short time: those that change such tables come
 * last, after the locks of all these tables.
 */
export function lockedLast(statements: readonly string[]): readonly string[] {
  const tables = new Set(statements.flatMap((statement) => changedTable(statement) ?? []));
  if (tables.size === 0) return statements;
  const isLater = (statement: string) => tables.has(changedTable(statement) ?? indexedTable(statement) ?? "");
  return [
    ...statements.filter((statement) => !isLater(statement)),
    lockAll([...tables].toSorted((left, right) => Number(usedFirst.test(right)) - Number(usedFirst.test(left)))),
    ...statements.filter(isLater),
  ];
}

const table = '("(?:[^"]|"")*"[.]\\w+)';
const [change, index] = [new RegExp(`^alter table ${table}`), new RegExp(`^create (?:unique )?index \\w+ on ${table}`)];
const changedTable = (statement: string) => change.exec(statement)?.[1];
const indexedTable = (statement: string) => index.exec(statement)?.[1];

/** One statement, because drivers end a transaction in which one has failed. A try that fails gives back the locks that it has. */
function lockAll([first = "", ...others]: readonly string[]): string {
  const text = `declare
  v_before text := current_setting('lock_timeout');
begin
  for v_try in 1 .. ${tries} loop
    begin
      perform set_config('lock_timeout', least(${mostMs}, v_try * ${firstMs})::text, true);
      lock table ${first} in access exclusive mode;${others.length === 0 ? "" : lockOthers(others)}
      exit;
    exception when lock_not_available or deadlock_detected then
      if v_try = ${tries} then
        raise;
      end if;
      perform pg_sleep(random());
    end;
  end loop;
  perform set_config('lock_timeout', v_before, true);
end`;
  const tag = dollarTag(text);
  return `do ${tag}\n${text} ${tag}`;
}

const lockOthers = (tables: readonly string[]) => `
      perform set_config('lock_timeout', '${othersMs}', true);
      lock table ${tables.join(", ")} in access exclusive mode;`;
