import type { Tables } from "./schema.ts";

/*
 * The column `type_name` of the hot table holds the claim name of a job: its type and, behind a control character, its version if
 * that is not 1 and its pool if it has one, see `claimName` in `chainwright/adapter`.
 */

const separator = "char(1)";

/** SQL for the type of a claim name. */
export const typeOf = (name: string): string => `substr(${name}, 1, instr(${name} || ${separator}, ${separator}) - 1)`;

/** SQL for the claim name of a job `j`. */
export const claimNameOf = (j: string): string =>
  `${j}.type_name || case when ${j}.version is null and ${j}.pool is null then '' else
     ${separator} || coalesce('#' || ${j}.version, '') || coalesce('@' || ${j}.pool, '') end`;

/** SQL for the claim names of scheduled jobs of some types, which are a JSON parameter: they follow each other in the index. */
export const scheduledNames = ({ openJob }: Tables): string => `with recursive named (type, claim_name) as (
    select value, value from json_each(?)
    union all
    select type, (select o.type_name from ${openJob} o
      where o.state = 1 and o.type_name > named.claim_name and o.type_name < named.type || char(2) order by o.type_name limit 1)
    from named where claim_name is not null)
  select claim_name from named where claim_name is not null`;

/** SQL for a table `present` with the claim names of all jobs that are ready or running: a probe of the index for each of them. */
export const presentNames = ({ openJob }: Tables): string => {
  const next = (after: string) =>
    `(select o.type_name from ${openJob} o where o.state = 0 and o.type_name > ${after} order by o.type_name limit 1)`;
  return `with recursive present (name) as (
    select ${next("''")} union all select ${next("present.name")} from present where name is not null)`;
};
