import type { Mutant } from "../mutant.ts";

/** The protections of wake-ups in the engine, the worker and the channel. */
export const notifyMutants: readonly Mutant[] = [
  {
    name: "wake-ups: a worker looks each second while they fail",
    in: "core:pollMs",
    find: "const isAnnounced = hub.isWell && clock.now()",
    replace: "const isAnnounced = clock.now()",
  },
  {
    name: "wake-ups: a job found without a hint makes its finder look each second",
    in: "core:noteClaim",
    find: "if (next.isBackstop && claimed.some(",
    replace: "if (next.isBackstop && now < 0 && claimed.some(",
  },
  {
    name: "wake-ups: their loss is reported",
    in: "core:createNotificationState",
    find: 'record([{ type: "notifications-lost"',
    replace: 'if (forGood) record([{ type: "notifications-lost"',
  },
  {
    name: "wake-ups: a loss for good is distinguished",
    in: "core:createNotificationState",
    find: "const forGood = isForGood(error);",
    replace: 'const forGood = isForGood(error) && direction !== "listening";',
  },
  {
    name: "wake-ups: a worker looks as soon as they are lost",
    in: "core:createNotificationState",
    find: 'if (before === "ok") onLost();',
    replace: "",
  },
  {
    name: "wake-ups: inside a process they need no broker",
    in: "core:createHintHub",
    find: "hear(hints);\n    others?.send(hints);",
    replace: "if (others === undefined) hear(hints);\n    others?.send(hints);",
  },
  {
    name: "wake-ups: an echo of the broker counts for nothing",
    in: "core:createHintWire",
    find: "&& message.senderId !== senderId) hear",
    replace: ") hear",
  },
  {
    name: "wake-ups: those of other stores are ignored",
    in: "core:createHintWire",
    find: "if (message.storeId === ownStore &&",
    replace: "if (",
  },
  {
    name: "wake-ups: a process that cannot publish says so",
    in: "core:createHintWire",
    find: '(error) => state.lost("publishing", error)',
    replace: "() => undefined",
  },
  {
    name: "wake-ups: a look follows when the subscription is open",
    in: "core:createHintWire",
    find: "lookEverywhere();\n        meet();",
    replace: "meet();",
  },
  {
    name: "wake-ups: a subscription that hangs is reported",
    in: "core:openHintSubscription",
    find: "if (!isClosed) onLost(tooSlow());",
    replace: "",
  },
  {
    name: "wake-ups: the next message makes up for one that was lost",
    in: "core:createHintDelivery",
    find: "queue.noteLoss();",
    replace: "",
  },
  {
    name: "wake-ups: a broker that refused is tried again",
    in: "core:createHintDelivery",
    find: "if (!isClosed && keepsTrying()) retry",
    replace: "if (!isClosed && failures < 0) retry",
  },
  {
    name: "wake-ups: hints that begin work are never dropped",
    in: "core:createHintQueue",
    find: "else work.push(hint);",
    replace: "else if (ended.size() === 0) work.push(hint);",
  },
  {
    name: "wake-ups: dropped hints are made up for",
    in: "core:createHintQueue",
    find: "hasLoss || ended.hasLoss() || interrupts.hasLoss()",
    replace: "hasLoss",
  },
  {
    name: "wake-ups: looks that others ask for are at most one a second",
    in: "core:atMostEach",
    find: "if (timer === undefined) begin();",
    replace: "begin();",
  },
  {
    name: "wake-ups: only a running step is interrupted",
    in: "core:hintsOf",
    find: 'if (event.interrupted !== undefined) hints.push({ kind: "interrupt", jobId: event.jobId });',
    replace: 'hints.push({ kind: "interrupt", jobId: event.jobId });',
  },
  {
    name: "waits: keep their limits while a broker hangs",
    in: "core:createChainWaits",
    find: "listen(waits);",
    replace: "listen(waits);\n      await engine.hub.listen({ onHints() {}, onLook() {}, onMeeting() {} }).opened;",
  },
  {
    name: "waits: look again when the subscription is open",
    in: "core:listen",
    find: "for (const id of waits.byChain.keys()) void look(waits, id);",
    replace: "",
  },
  {
    name: "turns: no wait is longer than a bound",
    in: "core:waitFor",
    find: "return Math.min(stepsFor(places) * step, Math.max(longestTurnMs, step));",
    replace: "return places * step;",
  },
  {
    name: "turns: a poisoned count is forgotten",
    in: "core:noteFound",
    find: "dry ? announcedSinceLook : Infinity",
    replace: "dry && announcedSinceLook === 0 ? 0 : Infinity",
  },
  {
    name: "turns: no worker looks for a job before it is due",
    in: "core:createLookOrder",
    find: "dueInMs === undefined ? noteReady(state, hint)",
    replace: 'dueInMs !== "never" ? noteReady(state, hint)',
  },
  {
    name: "turns: one worker looks when a job is due",
    in: "core:noteDueTaken",
    find: "next.dueDelayMs = takenDelayMs * (1 + clock.random());",
    replace: "",
  },
  {
    name: "turns: a claim of jobs that no hint announced sends no message",
    in: "core:noteFound",
    find: "queue.unreported += Math.min(announced, count);",
    replace: "queue.unreported += count;",
  },
  {
    name: "turns: members are bounded",
    in: "core:createWaitingWorkers",
    find: "if (workers.size < mostWorkers || workers.has(id))",
    replace: 'if (id !== "")',
  },
  {
    name: "message: longer than any adapter writes",
    in: "core:readText",
    find: "if (text.length > maxLength) return undefined;",
    replace: "",
  },
  {
    name: "message: a version to come",
    in: "core:readNewer",
    find: "return { isKnown: false, message:",
    replace: "return { isKnown: true, message:",
  },
  {
    name: "message: the id of a worker",
    in: "core:takenHint",
    find: "if (!workerIds.test(workerId)) return undefined;",
    replace: "",
  },
  {
    name: "message: a hint that fits into none",
    in: "core:hintTexts",
    find: "if (isCut) add(",
    replace: "if (isCut && maxLength < 0) add(",
  },
  {
    name: "link: only its own message proves it",
    in: "core:openLiveLink",
    find: "if (message === pingMessage) life.prove();",
    replace: "life.prove();",
  },
  {
    name: "link: a busy process is not taken for a dead broker",
    in: "core:setReplyLimit",
    find: "clock.now() - dueAt > busyMs ? begin() : void judge()",
    replace: "void judge()",
  },
  {
    name: "link: one that is gone for good is reported, and not opened again",
    in: "core:reopen",
    find: "if (!isForGood(error)) continue;",
    replace: "if (error !== undefined) continue;",
  },
  {
    name: "store: its id is its own",
    in: "core:createStore",
    find: "id: globalThis.crypto.randomUUID(),",
    replace: 'id: "the-store",',
  },
];

/** The protections of wake-ups in the adapters on brokers. */
export const brokerMutants: readonly Mutant[] = [
  {
    name: "NATS: a refused message is reported",
    in: "nats:createNatsChannel",
    find: "if (refusal !== undefined) throw refusal;",
    replace: "",
  },
  {
    name: "NATS: nothing is sent while it is down",
    in: "nats:createNatsChannel",
    find: "await status().assertUp();",
    replace: "",
  },
  {
    name: "NATS: nothing is sent late",
    in: "nats:createNatsChannel",
    find: "signal.throwIfAborted();",
    replace: "",
  },
  {
    name: "NATS: a connection that was given up is gone for good",
    in: "nats:errorOf",
    find: 'return state === "gone" ? closedForGood() :',
    replace: 'return state === "unknown" ? closedForGood() :',
  },
  {
    name: "NATS: no message to itself is needed",
    in: "nats:createNatsChannel",
    find: 'provenBy: "probe",',
    replace: 'provenBy: "echo",',
  },
  {
    name: "ioredis: nothing is sent while it is not ready",
    in: "redis:ioRedis",
    find: "async publish(channel, messages, signal) {\n      await untilReady(client, signal);",
    replace: "async publish(channel, messages) {",
  },
  {
    name: "ioredis: a client that was ended is gone for good",
    in: "redis:notConnected",
    find: 'return status === "end"',
    replace: 'return status === ""',
  },
];
