import type { Mutant } from "../mutant.ts";

/** Starts with `debounce` and `throttle`: the rule of in-process and SQLite stores, and what the in-process store writes. */
export const debounceMutants: readonly Mutant[] = [
  {
    name: "debounce: a chain is due maxWaitMs after its first start at the latest",
    in: "core:placeOf",
    find: "const dueAt = Math.min(now + key.quietMs, until);",
    replace: "const dueAt = now + key.quietMs;",
  },
  {
    name: "debounce: an input is replaced only before the first claim",
    in: "core:isUnclaimed",
    find: "return fence === 0 && (",
    replace: "return (",
  },
  {
    name: "debounce: starts find the chain while no worker is free",
    in: "core:placeOf",
    find: "heldUntil: now + key.maxWaitMs",
    replace: "heldUntil: until",
  },
  {
    name: "debounce: a retry needs no key that another chain has",
    in: "core:currentKeyOf",
    find: "if (key === undefined || servesStartsOnly(key)) return undefined;",
    replace: "if (key === undefined) return undefined;",
  },
  {
    name: "debounce: keys of the three kinds never meet",
    in: "core:heldKey",
    find: "return servesStartsOnly({ scope }) ? key + scope : key;",
    replace: "return key;",
  },
  {
    name: "debounce: the chain takes the version and the pool of the last start",
    in: "core:replaceInput",
    find: "row.lane = laneOf(store, start, start.priority);",
    replace: "",
  },
  {
    name: "debounce: workers hear of a chain that is due earlier than before",
    in: "core:replaceInput",
    find: "isAnnounced: dueAt < wasDueAt || before !== claimName(start)",
    replace: "isAnnounced: before !== claimName(start)",
  },
  {
    name: "throttle: the first chain in a window keeps its input",
    in: "core:placeOf",
    find: "if (wasDueAt === undefined || wasDueAt <= createdAt)",
    replace: "if (wasDueAt === undefined)",
  },
  {
    name: "throttle: the chain at the end of a window has a window of its own",
    in: "core:keyFor",
    find: "until: due + deduplication.perMs",
    replace: "until: now + deduplication.perMs",
  },
  {
    name: "debounce: two of deduplication, debounce and throttle are refused",
    in: "core:checkStartKey",
    find: "if (given.length > 1)",
    replace: "if (given.length > 3)",
  },
  {
    name: "debounce: maxWaitMs is not shorter than quietMs",
    in: "core:checkDebounce",
    find: "if (maxWaitMs < quietMs)",
    replace: "if (maxWaitMs < 0)",
  },
];

export const sqliteDebounceMutants: readonly Mutant[] = [
  {
    name: "SQLite, debounce: an input is replaced only before the first claim",
    in: "sqlite:createKeys",
    find: "where job = ? and fence = 0`",
    replace: "where job = ?`",
  },
  {
    name: "SQLite, debounce: the chain is claimed under the version and the pool of the last start",
    in: "sqlite:createReplace",
    find: "set type_name = ?, priority = ?",
    replace: "set type_name = iif(? is null, '', type_name), priority = ?",
  },
  {
    name: "SQLite, debounce: the version of a replaced input stays the given one",
    in: "sqlite:createReplace",
    find: "forgetVersion.run(seq);",
    replace: "",
  },
  {
    name: "SQLite, debounce: a start lengthens the time of its key",
    in: "sqlite:createReplace",
    find: "hold.run(heldUntil, heldKey(deduplication), seq);",
    replace: "hold.run(until, heldKey(deduplication), seq);",
  },
];

export const postgresDebounceMutants: readonly Mutant[] = [
  {
    name: "Postgres, debounce: a chain is due maxWaitMs after its first start at the latest",
    in: "postgres:replaceInput",
    find: "v_due := least(p_now + v_start.quiet, v_until);",
    replace: "v_due := p_now + v_start.quiet;",
  },
  {
    name: "Postgres, debounce: an input is replaced only before the first claim",
    in: "postgres:findWaitingJob",
    find: "and o.fence = 0 and",
    replace: "and",
  },
  {
    name: "Postgres, debounce: a start waits for no change of the chain",
    in: "postgres:findWaitingJob",
    find: "for update of o skip locked;",
    replace: "for update of o;",
  },
  {
    name: "Postgres, debounce: starts with a key wait for each other",
    in: "postgres:takeKey",
    find: "where d.key = v_start.held for update;",
    replace: "where d.key = v_start.held;",
  },
  {
    name: "Postgres, debounce: retention passes by the chain whose key a start has locked",
    in: "postgres:findWaitingJob",
    find: "perform from ${s}.job f where f.id = v_holder for key share skip locked;",
    replace: "null;",
  },
  {
    name: "Postgres, debounce: starts find the chain while no worker is free",
    in: "postgres:replaceInput",
    find: 'set until = p_now + v_start."window" where',
    replace: "set until = v_until where",
  },
  {
    name: "Postgres, debounce: a chain that had to be due stays due",
    in: "postgres:replaceInput",
    find: "v_due := case when v_start.limits is not null and v_was_state <> 1 then p_now else least(v_was_due, p_now) end;",
    replace: "v_due := p_now + v_start.quiet;",
  },
  {
    name: "Postgres, debounce: the chain is claimed under the version and the pool of the last start",
    in: "postgres:replaceInput",
    find: "rank = ~v_start.priority, type_name = v_start.type",
    replace: "rank = ~v_start.priority",
  },
  {
    name: "Postgres, debounce: a retry needs no key that another chain has",
    in: "postgres:retakeKeyFunction",
    find: "v_chain.key_scope > 1 or",
    replace: "",
  },
  {
    name: "Postgres, throttle: the key is free when its chain is deleted",
    in: "postgres:heldKeyOf",
    find: "when 3 then 'throttle'",
    replace: "when 3 then ''",
  },
  {
    name: "Postgres, throttle: the first chain in a window keeps its input",
    in: "postgres:findWaitingJob",
    find: "and (v_start.scope = 2 or o.due_at > j.created_at)",
    replace: "",
  },
];
