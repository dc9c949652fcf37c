import { checkKeys, checkMoment, checkText, invalid } from "../checks/check-options.ts";
import type { StoreAccess } from "../engine/engine.ts";
import type { JobQuery } from "../ports/query.ts";
import type { FailureFilter, FailureGroups, GroupFailuresOptions } from "../types/failure-groups.ts";
import type { InTransaction } from "../types/list-options.ts";
import { checkLimit, typeNamesOf } from "./list-queries.ts";

type Options = GroupFailuresOptions<string> & InTransaction<unknown>;

const groupKeys = { typeName: true, failedSince: true, limit: true, tx: true } satisfies Record<keyof Options, true>;

/** Counts failed jobs by their type and the kind of their error. */
export async function groupFailures(store: StoreAccess, options: Options = {}): Promise<FailureGroups> {
  checkKeys(options, groupKeys, "groupFailures");
  const query = { typeNames: typeNamesOf(options), since: sinceOf(options), limit: checkLimit(options.limit) };
  const { groups, ...counts } = await groupsOf(store)(query, store.callOptions(options.tx));
  return {
    ...counts,
    groups: groups.map(({ firstAt, lastAt, ...group }) => {
      return { ...group, firstAt: new Date(firstAt), lastAt: new Date(lastAt) };
    }),
  };
}

/** Which failures a list asks for. Undefined: it does not ask for failures. */
export function failuresOf(store: StoreAccess, options: FailureFilter): JobQuery["failures"] {
  const { failureKind } = options;
  const kind = failureKind === undefined ? undefined : checkText(failureKind, "failureKind", 100);
  const since = sinceOf(options);
  if (kind === undefined && since === undefined) return undefined;
  groupsOf(store);
  return { kind, since };
}

function sinceOf({ failedSince }: Pick<FailureFilter, "failedSince">): number | undefined {
  return failedSince === undefined ? undefined : checkMoment(failedSince, "failedSince");
}

function groupsOf({ state }: StoreAccess) {
  if (state.groupFailures === undefined)
    throw invalid("this state adapter does not keep the kinds of failures; list failed jobs by their status instead.");
  return state.groupFailures.bind(state);
}
