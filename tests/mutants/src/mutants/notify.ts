import type { Mutant } from "../mutant.ts";

/** The protections of wake-ups in the engine, the worker and the channel. */
export const notifyMutants: readonly Mutant[] = [
  {
    name: "wake-ups: a worker looks each second while they fail",
    file: "packages/core/src/worker/exchange-loop.ts",
    find: "const isHeard = hub.isWell && clock.now()",
    replace: "const isHeard = clock.now()",
  },
  {
    name: "wake-ups: a job that nobody told of makes its finder look each second",
    file: "packages/core/src/worker/exchange-loop.ts",
    find: "if (loop.isBackstop && claimed.some(",
    replace: "if (loop.isBackstop && now < 0 && claimed.some(",
  },
  {
    name: "wake-ups: their loss is reported",
    file: "packages/core/src/hints/notification-state.ts",
    find: 'record([{ type: "notifications-lost"',
    replace: 'if (forGood) record([{ type: "notifications-lost"',
  },
  {
    name: "wake-ups: a loss for good is told apart",
    file: "packages/core/src/hints/notification-state.ts",
    find: "const forGood = isForGood(error);",
    replace: 'const forGood = isForGood(error) && direction !== "listening";',
  },
  {
    name: "wake-ups: a worker looks as soon as they are lost",
    file: "packages/core/src/hints/notification-state.ts",
    find: 'if (before === "ok") onLost();',
    replace: "",
  },
  {
    name: "wake-ups: inside a process they need no broker",
    file: "packages/core/src/hints/hint-hub.ts",
    find: "    hear(hints);\n    others?.send(hints);",
    replace: "    if (others === undefined) hear(hints);\n    others?.send(hints);",
  },
  {
    name: "wake-ups: an echo of the broker counts for nothing",
    file: "packages/core/src/hints/hint-wire.ts",
    find: " && message.senderId !== senderId) hear",
    replace: ") hear",
  },
  {
    name: "wake-ups: those of other stores are ignored",
    file: "packages/core/src/hints/hint-wire.ts",
    find: "if (message.storeId === ownStore && ",
    replace: "if (",
  },
  {
    name: "wake-ups: a process that cannot publish says so",
    file: "packages/core/src/hints/hint-wire.ts",
    find: '(error) => state.lost("publishing", error)',
    replace: "() => undefined",
  },
  {
    name: "wake-ups: a subscription that stands is followed by a look",
    file: "packages/core/src/hints/hint-wire.ts",
    find: "        lookEverywhere();\n        meet();",
    replace: "        meet();",
  },
  {
    name: "wake-ups: a subscription that hangs is reported",
    file: "packages/core/src/hints/hint-subscription.ts",
    find: "    if (!isClosed) onLost(tooSlow());\n",
    replace: "",
  },
  {
    name: "wake-ups: the next message makes up for one that was lost",
    file: "packages/core/src/hints/deliver-hints.ts",
    find: "    queue.noteLoss();\n",
    replace: "",
  },
  {
    name: "wake-ups: a broker that refused is tried again",
    file: "packages/core/src/hints/deliver-hints.ts",
    find: "if (!isClosed && keepsTrying()) retry",
    replace: "if (!isClosed && failures < 0) retry",
  },
  {
    name: "wake-ups: hints that begin work are never dropped",
    file: "packages/core/src/hints/hint-queue.ts",
    find: "else work.push(hint);",
    replace: "else if (ended.size() === 0) work.push(hint);",
  },
  {
    name: "wake-ups: dropped hints are made up for",
    file: "packages/core/src/hints/hint-queue.ts",
    find: "hasLoss || ended.hasLoss() || interrupts.hasLoss()",
    replace: "hasLoss",
  },
  {
    name: "wake-ups: looks that others ask for are at most one a second",
    file: "packages/core/src/hints/hint-hub.ts",
    find: "if (timer === undefined) begin();",
    replace: "begin();",
  },
  {
    name: "wake-ups: only a running step is interrupted",
    file: "packages/core/src/hints/hints.ts",
    find: 'if (event.interrupted !== undefined) hints.push({ kind: "interrupt", jobId: event.jobId });',
    replace: 'hints.push({ kind: "interrupt", jobId: event.jobId });',
  },
  {
    name: "waits: keep their limits while a broker hangs",
    file: "packages/core/src/operations/await-chain.ts",
    find: "      listen(waits);\n",
    replace:
      "      listen(waits);\n      await engine.hub.listen({ onHints() {}, onLook() {}, onMeeting() {} }).opened;\n",
  },
  {
    name: "waits: look again when the subscription stands",
    file: "packages/core/src/operations/await-chain.ts",
    find: "      for (const id of waits.byChain.keys()) void look(waits, id);\n",
    replace: "",
  },
  {
    name: "turns: no wait is longer than a bound",
    file: "packages/core/src/hints/look-order.ts",
    find: "return Math.min(turn * step, Math.max(longestTurnMs, step));",
    replace: "return turn * step;",
  },
  {
    name: "turns: a poisoned count is forgotten",
    file: "packages/core/src/hints/look-order.ts",
    find: "dry ? fresh : Infinity",
    replace: "dry && fresh === 0 ? 0 : Infinity",
  },
  {
    name: "turns: members are bounded",
    file: "packages/core/src/hints/waiting-workers.ts",
    find: "if (members.size < mostMembers || members.has(id))",
    replace: 'if (id !== "")',
  },
  {
    name: "message: longer than any adapter writes",
    file: "packages/core/src/notify-channel/hint-text.ts",
    find: "if (text.length > maxLength) return undefined;",
    replace: "",
  },
  {
    name: "message: a version to come",
    file: "packages/core/src/notify-channel/hint-text.ts",
    find: "return { isKnown: false, message:",
    replace: "return { isKnown: true, message:",
  },
  {
    name: "message: the id of a worker",
    file: "packages/core/src/notify-channel/hint-text.ts",
    find: "  if (!workerIds.test(workerId)) return undefined;\n",
    replace: "",
  },
  {
    name: "message: a hint that fits into none",
    file: "packages/core/src/notify-channel/hint-text.ts",
    find: "if (isCut) add(",
    replace: "if (isCut && maxLength < 0) add(",
  },
  {
    name: "link: only its own message proves it",
    file: "packages/core/src/notify-channel/live-link.ts",
    find: "if (message === pingMessage) life.prove();",
    replace: "life.prove();",
  },
  {
    name: "link: a busy process is not taken for a dead broker",
    file: "packages/core/src/notify-channel/answer-limit.ts",
    find: "clock.now() - dueAt > busyMs ? begin() : void judge()",
    replace: "void judge()",
  },
  {
    name: "link: one that is gone for good is reported, and not opened again",
    file: "packages/core/src/notify-channel/watched-link.ts",
    find: "if (!isForGood(error)) continue;",
    replace: "if (error !== undefined) continue;",
  },
  {
    name: "store: its id is its own",
    file: "packages/core/src/in-process/store.ts",
    find: "id: globalThis.crypto.randomUUID(),",
    replace: 'id: "the-store",',
  },
];

/** Those of the adapters on brokers. */
export const brokerMutants: readonly Mutant[] = [
  {
    name: "NATS: a refused message is reported",
    file: "packages/nats/src/channel.ts",
    find: "      if (refusal !== undefined) throw refusal;\n",
    replace: "",
  },
  {
    name: "NATS: nothing is sent while it is down",
    file: "packages/nats/src/channel.ts",
    find: "      await status().assertUp();\n",
    replace: "",
  },
  {
    name: "NATS: nothing is sent late",
    file: "packages/nats/src/channel.ts",
    find: "      signal.throwIfAborted();\n",
    replace: "",
  },
  {
    name: "NATS: a connection that was given up is gone for good",
    file: "packages/nats/src/watch-status.ts",
    find: 'return state === "gone" ? closedForGood() :',
    replace: 'return state === "unknown" ? closedForGood() :',
  },
  {
    name: "NATS: no message to itself is needed",
    file: "packages/nats/src/channel.ts",
    find: 'provenBy: "answer",',
    replace: 'provenBy: "echo",',
  },
  {
    name: "ioredis: nothing is sent while it is not ready",
    file: "packages/redis/src/drivers/ioredis.ts",
    find: "    async publish(channel, messages, signal) {\n      await untilReady(client, signal);\n",
    replace: "    async publish(channel, messages) {\n",
  },
  {
    name: "ioredis: a client that was ended is gone for good",
    file: "packages/redis/src/drivers/ioredis.ts",
    find: 'return status === "end"',
    replace: 'return status === ""',
  },
];
