import { literal, type Schema } from "../schema.ts";

/*
 * Signals, and the steps that wait for them. The lock of a chain's first row is what makes the two meet: a signal and the beginning of a
 * wait both hold it, so that each sees what the other one has committed. Locks are taken in this order: topics, open jobs, first rows.
 */

/** The tables and columns of signals, in the schema of this quoted name. */
export function signalTables(s: string): readonly string[] {
  return [...changeJobs(s), ...createSignals(s), ...createTopics(s)];
}

/**
 * - job.waits: JSON of what a job waits for or has waited for, see `storedWait`; null for nearly all jobs
 * - job.received: JSON of the signals that it has taken; null where `waits` is
 * - job.due_at of a job that waits: when its time is over; null: never
 * - job.signals, on a chain's first job only: whether the chain has signals; null is no
 * - open_job.waits: true while a job waits, in state 1 if its time will be over and in state 2 otherwise; false when it has waited; null
 *   for nearly all jobs
 */
function changeJobs(s: string): string[] {
  return [
    `alter table ${s}.job
  add column waits text,
  add column received text,
  add column signals boolean`,
    `alter table ${s}.open_job add column waits boolean`,
  ];
}

/** The signals of chains, in the order in which chains got them. They are deleted with their chain. */
function createSignals(s: string): string[] {
  return [
    `create table ${s}.signal (
  chain_id uuid not null,
  taken_by uuid,
  position bigint not null,
  at double precision not null,
  type_name text collate "C" not null,
  name text not null,
  signal_id text collate "C",
  payload text not null,
  context text,
  constraint signal_pkey primary key (chain_id, position)
)`,
    `create unique index signal_once on ${s}.signal (chain_id, signal_id) where signal_id is not null`,
    `create index signal_open on ${s}.signal (chain_id, type_name, position) where taken_by is null`,
  ];
}

/** Which jobs wait for a topic, and what is kept of a topic for jobs that begin to wait for it. */
function createTopics(s: string): string[] {
  return [
    // It is written only under the lock of the job's row, so no one waits for a row of it.
    `create table ${s}.topic (
  topic text collate "C" not null,
  job_id uuid not null,
  constraint topic_pkey primary key (topic, job_id)
) with (autovacuum_vacuum_scale_factor = 0.05)`,
    `create index topic_job on ${s}.topic (job_id)`,
    `create table ${s}.publication (
  position bigint generated always as identity,
  at double precision not null,
  until double precision not null,
  topic text collate "C" not null,
  type_name text collate "C" not null,
  name text not null,
  signal_id text not null,
  payload text not null,
  context text,
  constraint publication_pkey primary key (topic, position)
)`,
    `create index publication_until on ${s}.publication (until)`,
    `insert into ${s}.upkeep (chore, floor, reached) values ('publications', '-Infinity', '-Infinity')`,
  ];
}

/** Keeps the keys of the locks of topics different from other advisory locks of the application. */
const seed = 4_182_097;

/** SQL for the key of the lock of a topic. Jobs that begin to wait for it share the lock, publications take it alone. */
export const topicKey = ({ quoted }: Schema, topic: string) =>
  `hashtextextended(${literal(`${quoted} `)} || ${topic}, ${seed})`;
