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

/*
 * Most jobs have a claim name that is their type, and an output of version 1. To find that out in SQL takes 1 to 4 % of the server's
 * instructions of a call. So functions of the hot paths have a twin: the client knows which names and outputs it sends, and calls the
 * one that reads nothing but types and outputs, or its twin.
 */

/** How a function reads the claim names of jobs that it writes. */
export interface NamesRead {
  /** The end of the function's name before its version. */
  readonly suffix: string;
  readonly typeOf: (name: string) => string;
  /** The columns of `job` that it writes besides the type, and their values. */
  readonly columns: string;
  readonly values: (name: string) => string;
}

export const typesOnly: NamesRead = { suffix: "", typeOf: (name) => name, columns: "", values: () => "" };

export const allNames: NamesRead = {
  suffix: "_named",
  typeOf,
  columns: ", version, pool",
  values: (name) => `, ${versionOf(name)}, ${poolOf(name)}`,
};

/** The end of the name of the function to call. */
export const namesSuffix = (areNamed: boolean): string => (areNamed ? allNames : typesOnly).suffix;

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

type Completed = Extract<Outcome, { kind: "completed" }>;

export function hasVersionedOutput({ outputVersion }: Completed): boolean {
  return outputVersion !== undefined && outputVersion !== 1;
}

/** The output of an outcome as the functions get it. */
export function versionedOutput(outcome: Completed): string {
  return hasVersionedOutput(outcome) ? `\u0001${outcome.outputVersion}\u0001${outcome.output}` : outcome.output;
}

/** SQL for the output itself. */
export const outputOf = (sent: string): string =>
  `case when starts_with(${sent}, ${separator}) then substr(${sent}, 3 + length(split_part(${sent}, ${separator}, 2))) else ${sent} end`;

/** SQL for its version as `job.output_version` has it: null is 1. */
export const outputVersionOf = (sent: string): string =>
  `case when starts_with(${sent}, ${separator}) then split_part(${sent}, ${separator}, 2)::smallint end`;

/** How a function reads the outputs of jobs that it ends. */
export interface OutputsRead {
  /** The end of the function's name before its version. */
  readonly suffix: string;
  /** The columns of `job` that it writes, with their values. */
  readonly columns: (sent: string) => Readonly<Record<string, string>>;
}

/** The column of the version is null already. */
export const outputsOnly: OutputsRead = { suffix: "", columns: (sent) => ({ output: sent }) };

export const versionedOutputs: OutputsRead = {
  suffix: "_versioned",
  columns: (sent) => ({ output: outputOf(sent), output_version: outputVersionOf(sent) }),
};

/** The end of the name of the function to call. */
export const outputsSuffix = (areVersioned: boolean): string => (areVersioned ? versionedOutputs : outputsOnly).suffix;

/** SQL that assigns the columns of an output. */
export const assignOutput = ({ columns }: OutputsRead, sent: string): string =>
  Object.entries(columns(sent))
    .map(([column, value]) => `${column} = ${value}`)
    .join(", ");
