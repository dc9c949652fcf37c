import type { Outcome } from "chainwright/adapter";

/*
 * The column `type_name` of `open_job` holds the claim name of a job: its type and, behind a control character, its version if that is
 * not 1 and its pool if it has one, see `claimName` in `chainwright/adapter`. Functions get the types of new jobs as claim names, so
 * that their parameters are what they were. All functions are qualified, because some statements run under any search path.
 */

const separator = "E'\\x01'";

/** SQL for the type of a claim name. */
export const typeOf = (name: string): string => `pg_catalog.split_part(${name}, ${separator}, 1)`;

/** SQL for the version of a claim name as `job.version` has it: null is 1. */
export const versionOf = (name: string): string =>
  `case when pg_catalog.strpos(${name}, E'\\x01#') operator(pg_catalog.>) 0 then pg_catalog.substring(${name}, E'\\x01#([0-9]+)')::smallint end`;

/** SQL for the pool of a claim name; null: it has none. */
export const poolOf = (name: string): string =>
  `case when pg_catalog.strpos(${name}, ${separator}) operator(pg_catalog.>) 0 then pg_catalog.substring(${name}, E'\\x01[^@]*@(.*)$') end`;

/** SQL for the claim name of a job `j`. */
export const claimNameOf = (j: string): string =>
  `${j}.type_name || case when ${j}.version is null and ${j}.pool is null then '' else
    ${separator} || coalesce('#' || ${j}.version, '') || coalesce('@' || ${j}.pool, '') end`;

/** SQL for the claim names of scheduled jobs of the types in a JSON text: they follow each other in the index. */
export const scheduledNames = (s: string, types: string): string => `array(
  with recursive named (type, claim_name) as (
    select t.type collate "C", t.type collate "C" from json_array_elements_text(${types}::json) as t(type)
    union all
    select n.type, (select o.type_name from ${s}.open_job o
      where o.state = 1 and o.type_name > n.claim_name and o.type_name < n.type || E'\\x02' order by o.type_name limit 1)
    from named n where n.claim_name is not null)
  select n.claim_name from named n where n.claim_name is not null)`;

/*
 * An output of a version other than 1 is sent with that version before it. JSON text never begins like that, and a worker of an older
 * release sends no version.
 */

/** The output of an outcome as the functions get it. */
export function versionedOutput({ output, outputVersion }: Extract<Outcome, { kind: "completed" }>): string {
  return outputVersion === undefined || outputVersion === 1 ? output : `\u0001${outputVersion}\u0001${output}`;
}

/** SQL for the output itself. */
export const outputOf = (sent: string): string =>
  `case when starts_with(${sent}, ${separator}) then substr(${sent}, 3 + length(split_part(${sent}, ${separator}, 2))) else ${sent} end`;

/** SQL for its version as `job.output_version` has it: null is 1. */
export const outputVersionOf = (sent: string): string =>
  `case when starts_with(${sent}, ${separator}) then split_part(${sent}, ${separator}, 2)::smallint end`;
