import { equal, match, present } from "../../check.ts";
import { deferred, job } from "../build.ts";
import { rules } from "../group.ts";
import { accepted, type Held, type StateFixture } from "../fixture.ts";
import { cancelOne, followUpsOf, handIn, record, statusesOf, trip, undo, undone } from "./sagas.ts";

/** A chain that was cancelled while its attempt runs, and its first follow-up, which waits for the end of the attempt. */
async function waitingFollowUp(fixture: StateFixture) {
  const { id } = await fixture.startOne(trip());
  const held: Held = await fixture.claimOne("one", { leaseMs: 60_000 });
  await record(fixture, held, undo("one"));
  await cancelOne(fixture, id);
  const [first, second] = await followUpsOf(fixture, id);
  return { id, held, first: present("one that undoes", first), second: present("one that follows", second) };
}

const trigger = async ({ store, options }: StateFixture, ids: readonly string[]) => await store.trigger(ids, options());

export const followingCases = rules("ends", {
  "N3: a follow-up that waits for an attempt is not triggered, nor anything else in the same call": async (fixture) => {
    const { id, held, first } = await waitingFollowUp(fixture);
    const other = await fixture.startOne(job("other", { schedule: { afterMs: 1_000 } }));
    const refusal = { code: "job-not-scheduled", id: first.chainId, actual: "scheduled", references: [id] } as const;
    equal("refused", await trigger(fixture, [other.id, first.chainId]), { ok: false, refusal });
    equal("nothing begins", await fixture.claim(["undo", "apologise", "other"]), []);
    equal(
      "it is ready after the attempt",
      (await handIn(fixture, held))?.map(({ jobId }) => jobId),
      [first.chainId],
    );
    equal("all run", await undone(fixture), ["one", "apologise"]);
  },

  "a follow-up that waits for its next attempt is triggered like any job": async (fixture) => {
    const { held, first } = await waitingFollowUp(fixture);
    await handIn(fixture, held);
    const { fence } = await fixture.claimOne("undo");
    await fixture.settled(deferred(fence, { schedule: { afterMs: 60_000 } }));
    accepted("triggered", await trigger(fixture, [first.chainId]));
    equal("all run", await undone(fixture), ["one", "apologise"]);
  },

  "a follow-up names the chain that it follows, until that one is retried": async (fixture) => {
    const { id, held, first, second } = await waitingFollowUp(fixture);
    for (const { chainId } of [first, second]) match("it follows", await fixture.chain(chainId), { follows: id });
    match("the chain follows none", await fixture.chain(id), { follows: undefined });
    await handIn(fixture, held);
    equal("ready", await statusesOf(fixture, id), ["ready", "blocked"]);
    const items = [{ chainId: id, input: undefined, typeName: undefined }];
    accepted("retried", await fixture.store.retry(items, fixture.options()));
    for (const { chainId } of [first, second])
      match("it follows none", await fixture.chain(chainId), { status: "cancelled", follows: undefined });
    await cancelOne(fixture, id);
    const again = present("another one", (await followUpsOf(fixture, id))[0]);
    match("it follows", await fixture.chain(again.chainId), { follows: id });
    equal("all run", await undone(fixture), ["one", "apologise"]);
  },

  "a follow-up whose chain was deleted follows none": async (fixture) => {
    const { id, held, first, second } = await waitingFollowUp(fixture);
    await handIn(fixture, held);
    equal("all run", await undone(fixture), ["one", "apologise"]);
    accepted("deleted", await fixture.store.remove({ chainIds: [id], cascade: true }, fixture.options()));
    for (const { chainId } of [first, second]) match("none", await fixture.chain(chainId), { follows: undefined });
  },
});
