import { batchMutants } from "./mutants/batches.ts";
import { doctorMutants, postgresDoctorMutants, sqliteDoctorMutants } from "./mutants/doctor.ts";
import { claimMutants, postgresClaimMutants, sqliteClaimMutants } from "./mutants/claim.ts";
import { deploymentMutants } from "./mutants/deployments.ts";
import { claimNameMutants, postgresClaimNameMutants, sqliteClaimNameMutants } from "./mutants/claim-names.ts";
import { debounceMutants, postgresDebounceMutants, sqliteDebounceMutants } from "./mutants/debounce.ts";
import { endMutants } from "./mutants/ends.ts";
import { engineMutants } from "./mutants/engine.ts";
import { failureMutants } from "./mutants/failures.ts";
import { callbackMutants } from "./mutants/callbacks.ts";
import { gatewayMutants } from "./mutants/gateway.ts";
import {
  failureGroupMutants,
  postgresFailureGroupMutants,
  sqliteFailureGroupMutants,
} from "./mutants/failure-groups.ts";
import { historyMutants, postgresHistoryMutants, sqliteHistoryMutants } from "./mutants/history.ts";
import { inProcessMutants } from "./mutants/in-process.ts";
import { brokerMutants, notifyMutants } from "./mutants/notify.ts";
import { postgresLastReleaseMutants } from "./mutants/last-release.ts";
import { journalMutants } from "./mutants/journal.ts";
import { limitStoreMutants } from "./mutants/limit-store.ts";
import { limitMutants } from "./mutants/limits.ts";
import { lockMutants, postgresLockMutants } from "./mutants/locks.ts";
import { noteMutants } from "./mutants/notes.ts";
import { overMutants } from "./mutants/over.ts";
import { scheduleMutants } from "./mutants/schedules.ts";
import { postgresNoteMutants } from "./mutants/postgres-notes.ts";
import { postgresSignalMutants } from "./mutants/postgres-signals.ts";
import { postgresEndMutants } from "./mutants/postgres-ends.ts";
import { postgresLimitMutants } from "./mutants/postgres-limits.ts";
import { pauseMutants, postgresPauseMutants, sqlitePauseMutants } from "./mutants/pause.ts";
import { payloadMutants } from "./mutants/payload.ts";
import { postgresDriverMutants } from "./mutants/postgres-driver.ts";
import { postgresFenceMutants } from "./mutants/postgres-fence.ts";
import { postgresOverlapMutants } from "./mutants/postgres-overlaps.ts";
import { postgresStoreMutants } from "./mutants/postgres-store.ts";
import { postgresReleaseMutants, releaseMutants, sqliteReleaseMutants } from "./mutants/release.ts";
import { retryByErrorMutants } from "./mutants/retry-by-error.ts";
import { postgresScheduleMutants, sqliteScheduleMutants } from "./mutants/schedule-stores.ts";
import { seamMutants } from "./mutants/seam.ts";
import { signalMutants } from "./mutants/signals.ts";
import { sqliteEndMutants } from "./mutants/sqlite-ends.ts";
import { sqliteLimitMutants } from "./mutants/sqlite-limits.ts";
import { sqliteNoteMutants } from "./mutants/sqlite-notes.ts";
import { sqliteSignalMutants } from "./mutants/sqlite-signals.ts";
import { sqliteStoreMutants } from "./mutants/sqlite-store.ts";
import { sqliteWriterMutants } from "./mutants/sqlite-writer.ts";
import { postgresUpkeepMutants, sqliteUpkeepMutants, upkeepMutants } from "./mutants/upkeep.ts";
import type { Mutant } from "./mutant.ts";
import { postgresTests } from "./postgres-tests.ts";
import type { Step } from "./suites.ts";

/** Mutants with the suites that may notice them, the cheapest first. */
export interface Target {
  readonly name: "core" | "brokers" | "gateway" | "journal" | "postgres" | "sqlite";
  readonly mutants: readonly Mutant[];
  readonly steps: readonly Step[];
}

const journal = (files: string) => files.split(" ").map((file) => `packages/journal/test/${file}.test.ts`);

const pointsPath = "tests/faults/test/points.test.ts";

export const targets: readonly Target[] = [
  {
    name: "core",
    mutants: [
      ...inProcessMutants,
      ...releaseMutants,
      ...claimMutants,
      ...claimNameMutants,
      ...engineMutants,
      ...failureMutants,
      ...retryByErrorMutants,
      ...debounceMutants,
      ...notifyMutants,
      ...payloadMutants,
      ...doctorMutants,
      ...seamMutants,
      ...overMutants,
      ...upkeepMutants,
      ...lockMutants,
      ...pauseMutants,
      ...signalMutants,
      ...endMutants,
      ...scheduleMutants,
      ...limitMutants,
      ...limitStoreMutants,
      ...deploymentMutants,
      ...batchMutants,
      ...noteMutants,
      ...failureGroupMutants,
      ...historyMutants,
    ],
    steps: [
      { kind: "probe", module: "packages/core/test/probe.ts" },
      {
        kind: "tests",
        suite: "core's own tests",
        paths: [
          "in-process",
          "checks",
          "observers",
          "timing",
          "hints",
          "engine",
          "operations",
          "worker",
          "notify-channel",
          "deploy",
        ].map((folder) => `packages/core/test/${folder}/`),
      },
      { kind: "tests", suite: "accidents on SQLite", paths: [pointsPath], pattern: "on SQLite" },
    ],
  },
  {
    name: "brokers",
    mutants: brokerMutants,
    steps: [
      {
        kind: "tests",
        suite: "the adapters' own tests",
        paths: ["nats/test/connection", "redis/test/adapter", "nats/test/conformance", "redis/test/conformance"].map(
          (file) => `packages/${file}.test.ts`,
        ),
      },
    ],
  },
  {
    name: "gateway",
    mutants: [...gatewayMutants, ...callbackMutants],
    steps: [
      {
        kind: "tests",
        suite: "the gateway's own tests",
        paths: ["routes", "starts", "attacks", "hang-ups", "callbacks"].map(
          (file) => `packages/gateway/test/${file}.test.ts`,
        ),
        pattern: "on the in-process store",
      },
      {
        kind: "tests",
        suite: "connections of slow and silent clients",
        paths: ["packages/gateway/test/hostile-connections.test.ts"],
      },
      {
        kind: "tests",
        suite: "rules and certificates of callbacks",
        paths: ["rules", "tls"].map((file) => `packages/gateway/test/callback-${file}.test.ts`),
      },
    ],
  },
  {
    name: "journal",
    mutants: journalMutants,
    steps: [
      {
        kind: "tests",
        suite: "a journal's files",
        paths: journal("interval sync-pace room torn-tail failing-disk open format snapshot salvage live"),
      },
      {
        kind: "tests",
        suite: "a journal's failures",
        paths: journal("lock power-loss kills"),
      },
    ],
  },
  {
    name: "postgres",
    mutants: [
      ...postgresStoreMutants,
      ...postgresFenceMutants,
      ...postgresReleaseMutants,
      ...postgresClaimMutants,
      ...postgresClaimNameMutants,
      ...postgresOverlapMutants,
      ...postgresDoctorMutants,
      ...postgresDriverMutants,
      ...postgresUpkeepMutants,
      ...postgresLockMutants,
      ...postgresPauseMutants,
      ...postgresScheduleMutants,
      ...postgresDebounceMutants,
      ...postgresLastReleaseMutants,
      ...postgresLimitMutants,
      ...postgresSignalMutants,
      ...postgresEndMutants,
      ...postgresNoteMutants,
      ...postgresFailureGroupMutants,
      ...postgresHistoryMutants,
    ],
    steps: [
      { kind: "probe", module: "packages/postgres/test/probe.ts" },
      {
        kind: "tests",
        suite: "the adapter's own tests",
        paths: postgresTests,
      },
      {
        kind: "tests",
        suite: "the last release's own suite",
        paths: ["tests/faults/test/last-release.test.ts"],
        pattern: "on a Postgres",
      },
      { kind: "tests", suite: "accidents on Postgres", paths: [pointsPath], pattern: "on Postgres" },
    ],
  },
  {
    name: "sqlite",
    mutants: [
      ...sqliteStoreMutants,
      ...sqliteDoctorMutants,
      ...sqliteReleaseMutants,
      ...sqliteClaimMutants,
      ...sqliteClaimNameMutants,
      ...sqlitePauseMutants,
      ...sqliteScheduleMutants,
      ...sqliteDebounceMutants,
      ...sqliteWriterMutants,
      ...sqliteUpkeepMutants,
      ...sqliteLimitMutants,
      ...sqliteSignalMutants,
      ...sqliteEndMutants,
      ...sqliteNoteMutants,
      ...sqliteFailureGroupMutants,
      ...sqliteHistoryMutants,
    ],
    steps: [
      { kind: "probe", module: "packages/sqlite/test/probe.ts" },
      {
        kind: "tests",
        suite: "the adapter's own tests",
        paths: [
          "claim-cost",
          "awaited",
          "writer",
          "faults",
          "migrate",
          "open",
          "notify",
          "crash",
          "power-loss",
          "long-callback",
          "limits/limits",
          "limits/cost",
          "limits/stress",
          "signals/cost",
          "signals/races",
          "signals/faults",
          "signals/publications",
          "notes/cost",
          "notes/faults",
          "ends/cost",
          "ends/faults",
          "ends/late-ends",
          "schedules",
        ].map((file) => `packages/sqlite/test/${file}.test.ts`),
      },
      {
        kind: "tests",
        suite: "the notify port",
        paths: ["packages/sqlite/test/conformance.test.ts"],
        pattern: "notify port",
      },
      {
        kind: "tests",
        suite: "the last release beside",
        paths: ["limits", "signals", "ends"].map((area) => `tests/faults/test/last-release-${area}.test.ts`),
      },
      { kind: "tests", suite: "accidents on SQLite", paths: [pointsPath], pattern: "on SQLite" },
    ],
  },
];
