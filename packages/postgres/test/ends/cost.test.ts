import { startPostgres, type Server } from "@chainwright/backends";
import { findBackend } from "@chainwright/backends/vitest";
import type { StateAdapter } from "chainwright";
import type { ClaimedJob, Compensation, JobStart, Outcome } from "chainwright/adapter";
import { Pool, type PoolClient } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pg } from "../../src/drivers/pg.ts";
import { createPostgresStateAdapter } from "../../src/index.ts";
import { claim, claimOf, completed, job, jobs, workerId } from "../jobs.ts";
import { createPageMeter } from "../page-meter.ts";
import { scaled } from "../scale.ts";

const url = await findBackend("postgres");

const manyChains = scaled(20_000, 1_000_000);

const undo: Compensation = { typeName: "undo", input: "1", priority: 0, context: undefined };
const whenStopped = { typeName: "sorry", priority: 0 } as const;

const tables = ["open_job", "job", "blocker", "compensation", "deadline"];

/**
 * Counts the pages that calls read, because a clock would measure the machine. On a server of its own, so that vacuum removes rows.
 * Plans are made once per connection, and plans of empty tables stay until statistics are gathered.
 */
describe.skipIf(url === undefined).each(["with statistics", "as planned for empty ones"])(
  "the cost of ends on large tables %s",
  { timeout: 600_000 },
  (state) => {
    const isAnalyzed = state === "with statistics";
    const schema = `ends cost ${process.pid}`;
    const s = `"${schema}"`;
    let server: Server;
    let pool: Pool;
    let store: StateAdapter<PoolClient>;
    let meter: ReturnType<typeof createPageMeter>;

    beforeAll(async () => {
      server = await startPostgres({ settings: { fsync: "off" } });
      // One connection, whose statements are measured.
      pool = new Pool({ connectionString: server.url, max: 1 });
      store = createPostgresStateAdapter({ driver: pg(pool), schema });
      await store.migrate();
      meter = createPageMeter(pool, schema);
      if (isAnalyzed) return;
      for (const table of tables) {
        await pool.query(`alter table ${s}.${table} set (autovacuum_enabled = off)`);
        await pool.query(`vacuum analyze ${s}.${table}`);
      }
    });

    afterAll(async () => {
      await pool.end();
      await server.stop();
    });

    const target = ({ id: jobId, fence }: ClaimedJob) => ({ jobId, workerId, fence });
    const settled = async (outcomes: readonly Outcome[]): Promise<void> => {
      const replies = await store.settle(outcomes, {});
      expect(replies.map(({ status }) => status)).toEqual(outcomes.map(() => "settled"));
    };
    const failed = (held: ClaimedJob): Outcome => {
      return { target: target(held), kind: "failed", errors: '[{"message":"no"}]' };
    };
    const continued = (held: ClaimedJob, next: JobStart, compensation?: Compensation): Outcome => {
      return { target: target(held), kind: "continued", next, compensation };
    };
    /** Runs whatever follows the chains that have stopped. */
    const undoAll = async (): Promise<void> => {
      for (;;) {
        const held = await claim(store, ["undo", "sorry"], 20);
        if (held.length === 0) return;
        await settled(held.map((each) => completed(each)));
      }
    };
    const cancelling = (held: readonly { readonly id: string }[]) =>
      held.map(({ id: chainId }) => ({ chainId, reason: undefined, blockers: "cancel" as const }));

    /**
     * Chains with deadlines that have recorded what undoes them, of which a tenth have stopped: their compensations wait for the ends of
     * attempts.
     */
    const fill = async () => {
      const id = (prefix: number, n: string) =>
        `('0000000${prefix}-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`;
      await pool.query(`
      create table ${s}.filled as select n, ${id(0, "n")} as id, ${id(1, "n")} as follower, n % 10 = 0 as stopped
        from generate_series(1, ${manyChains}) n;
      insert into ${s}.job (id, chain_id, step, type_name, priority, on_blocker_failure, status, chain_status, attempt, position,
        created_at, input, on_end, ended_job_id)
      select id, id, 1, 'filled', 0, 0, case when stopped then 3 else 0 end, case when stopped then 3 else 0 end, 0, n, 0, '{}', true,
        case when stopped then id end from ${s}.filled;
      insert into ${s}.open_job (job_id, chain_id, position, due_at, leased_until, step, attempt, blockers_left, state, rank,
        has_blockers, type_name, on_end)
      select id, id, n, 0, 8e15, 1, 1, 0, 0, -1, false, 'filled', true from ${s}.filled where not stopped;
      insert into ${s}.job (id, chain_id, step, type_name, priority, on_blocker_failure, status, chain_status, attempt, position,
        created_at, input)
      select follower, follower, 1, 'undo', 0, 1, 0, 0, 0, ${manyChains} + n, 0, '1' from ${s}.filled where stopped;
      insert into ${s}.open_job (job_id, chain_id, position, due_at, leased_until, step, attempt, blockers_left, state, rank,
        has_blockers, type_name)
      select follower, follower, ${manyChains} + n, 8e15, 0, 1, 0, 0, 1, -1, false, 'undo' from ${s}.filled where stopped;
      insert into ${s}.compensation (chain_id, step, position, body, follower)
      select id, 1, 1, '{"type":"undo","input":"1","priority":0}', case when stopped then follower end from ${s}.filled;
      insert into ${s}.deadline (chain_id, at) select id, 8e15 from ${s}.filled where not stopped;
      select setval('${s}.position', 2 * ${manyChains});
      drop table ${s}.filled`);
      if (isAnalyzed) for (const table of tables) await pool.query(`vacuum analyze ${s}.${table}`);
    };

    /** The pages that each kind of call about ends reads. */
    const play = async (): Promise<Record<string, number>> => {
      const { pages, measure } = meter();
      const deadline = { afterMs: 3_600_000 };
      const trips = Array.from({ length: 10 }, () => job("a", { whenStopped, deadline }));
      await measure("start", () => store.start([{ starts: trips }], {}));
      const first = await claim(store, ["a"], 10);
      expect(first).toHaveLength(10);
      const items = first.map((held) => ({ target: target(held), compensation: undo }));
      await measure("compensate", () => store.compensate(items, {}));
      await measure("continue", () => settled(first.map((held) => continued(held, job("b"), undo))));
      const second = await claim(store, ["b"], 10);
      await measure("complete", () => settled(second.slice(0, 3).map((held) => completed(held))));
      await measure("fail", () => settled(second.slice(3, 6).map(failed)));
      const running = second.slice(6);
      const chains = running.map(({ chainId }) => ({ id: chainId }));
      await measure("cancel", () => store.cancel(cancelling(chains), {}));
      await measure("hand over", () =>
        store.settle(
          running.map((held) => completed(held)),
          {},
        ),
      );
      const undone = await measure("claim what undoes", () => claim(store, ["undo"], 20));
      expect(undone).toHaveLength(7);
      await measure("settle what undoes", () => settled(undone.map((held) => completed(held))));
      await undoAll();

      const late = Array.from({ length: 3 }, () => job("late", { whenStopped, deadline: { afterMs: 0 } }));
      await store.start([{ starts: late }], {});
      const looking = { outcomes: [], claim: { ...claimOf(["none"], 1), deadlines: true } };
      expect((await measure("expire", () => store.exchange(looking, {}))).expired).toHaveLength(3);
      await measure("claim nothing", () => store.exchange({ outcomes: [], claim: claimOf(["none"], 1) }, {}));
      await measure("look for deadlines", () => store.exchange(looking, {}));
      await measure("retry", () =>
        store.retry(
          late.map(({ id: chainId }) => ({ chainId, input: undefined, typeName: undefined })),
          {},
        ),
      );
      await store.cancel(cancelling(late), {});

      const parts = Array.from({ length: 3 }, () => job("part"));
      const whole = job("whole", { whenStopped, blockers: parts.map((start) => ({ start })) });
      await store.start([{ starts: [whole] }], {});
      const held = await claim(store, ["part"], 2);
      await store.compensate(
        held.map((each) => ({ target: target(each), compensation: undo })),
        {},
      );
      await measure("pass", () => settled(held.map((each) => completed(each))));
      await measure("cancel with its blockers", () => store.cancel(cancelling([whole]), {}));
      const ids = [...late, whole, ...parts].map(({ id }) => id);
      await measure("list", () => store.getChains(ids, {}));
      await undoAll();
      return pages;
    };

    it("chains without signals, compensations and deadlines read no page of the tables of these (N7)", async () => {
      const { pages, measure } = meter(["signal", "topic", "publication", "compensation", "deadline"]);
      for (let round = 0; round < 2; round += 1) {
        await measure("start one", () => store.start([{ starts: [job("a")] }], {}));
        await measure("start many", () => store.start([{ starts: jobs(9, "a") }], {}));
        const part = job("part");
        await measure("start blocked", () =>
          store.start([{ starts: [job("a", { blockers: [{ start: part }] })] }], {}),
        );
        const held = await measure("claim", () => claim(store, ["a"], 10));
        const [first, second, third, fourth, ...others] = held as [ClaimedJob, ClaimedJob, ClaimedJob, ClaimedJob];
        const schedule = { afterMs: 0 };
        const deferral = {
          target: target(first),
          kind: "deferred",
          schedule,
          counted: true,
          errors: undefined,
        } as const;
        await measure("put off", () => settled([deferral]));
        await measure("claim what is due", () => claim(store, ["a"], 10));
        await measure("settle one", () => settled([completed(second)]));
        await measure("continue one", () => settled([continued(third, job("b"))]));
        await measure("fail one", () => settled([failed(fourth)]));
        await measure("settle many", () => settled(others.map((each) => completed(each))));
        const [blocker] = await claim(store, ["part"], 1);
        await measure("settle a blocker", async () => {
          if (blocker !== undefined) await settled([completed(blocker)]);
        });
        await measure("cancel", () => store.cancel(cancelling([first]), {}));
        await measure("claim nothing", () => store.exchange({ outcomes: [], claim: claimOf(["none"], 10) }, {}));
      }
      expect(Object.entries(pages).filter(([, read]) => read > 0)).toEqual([]);
    });

    it(`calls read the same pages beside ${manyChains.toLocaleString("en")} chains with compensations and deadlines as beside none`, async () => {
      await play();
      const without = await play();
      await fill();
      await play();
      const beside = await play();
      // Indexes are one or two levels deeper.
      for (const [what, pages] of Object.entries(beside))
        expect(pages, `${what}: ${JSON.stringify({ without, beside })}`).toBeLessThanOrEqual(
          2 * (without[what] ?? 0) + 8,
        );
    });
  },
);
