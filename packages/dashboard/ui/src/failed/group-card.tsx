import { useSignal } from "@preact/signals";
import type { FailedGroup } from "../../../src/protocol/reads.ts";
import { ActionButton } from "../actions/action-buttons.tsx";
import type { AllItems } from "../actions/all-items.ts";
import { get } from "../data/api.ts";
import { Failure, Loading } from "../components/notice.tsx";
import { Time } from "../components/time.tsx";
import { useResource } from "../data/resource.ts";
import { maxItems } from "../data/session.ts";
import { counted, formatCount } from "../format/number.ts";
import { Link } from "../routing/link.tsx";
import { chainHref } from "../routing/place.ts";

interface GroupProps {
  readonly group: FailedGroup;
}

interface GroupCardProps extends GroupProps {
  /** Only failures from then on are in the group. */
  readonly since: string | undefined;
  readonly onDone: () => void;
}

const shownAtFirst = 10;

/** The chains that failed with one error, and the actions for all of them. */
export function GroupCard({ group, since, onDone }: GroupCardProps) {
  return (
    <li class="card group">
      <div class="group-head">
        <span class="group-count" data-state="failed">
          {formatCount(group.count)}
        </span>
        <GroupText group={group} />
        <GroupActions group={group} since={since} onDone={onDone} />
      </div>
      <GroupChains group={group} since={since} />
    </li>
  );
}

function GroupText({ group: { typeName, errorName, message, count, firstAt, lastAt, frame } }: GroupProps) {
  return (
    <div class="group-text">
      <h2>{errorName}</h2>
      <p class="group-message">{message}</p>
      <p class="muted group-line">
        <code>{typeName}</code>
        {frame === undefined ? null : (
          <span>
            in <code>{frame}</code>
          </span>
        )}
        <span>
          Last <Time at={lastAt} />
        </span>
        {count > 1 ? (
          <span>
            First <Time at={firstAt} />
          </span>
        ) : null}
      </p>
    </div>
  );
}

function GroupActions({ group, since, onDone }: GroupCardProps) {
  const { typeName, errorName, chainIds, count } = group;
  const ids = chainIds.slice(0, maxItems());
  const which = `${counted(count, "chain")} of ${typeName} with ${errorName}`;
  const complete = count > ids.length ? () => itemsOf(group, since) : undefined;
  return (
    <div class="group-tools">
      <ActionButton
        action="retry"
        primary
        ids={ids}
        complete={complete}
        editFor={typeName}
        text={`Retry ${count > maxItems() ? "all " : ""}${formatCount(count)}`}
        label={`Retry ${which}`}
        onDone={onDone}
      />
      <ActionButton action="delete" ids={ids} complete={complete} label={`Delete ${which}`} onDone={onDone} />
    </div>
  );
}

/** The ids of a group, or the first of them and the way to the others. */
async function itemsOf(
  { key, typeName, count }: FailedGroup,
  since: string | undefined,
): Promise<{ readonly ids: readonly string[]; readonly all: AllItems | undefined }> {
  const next = async (cursor: string | undefined) => {
    const page = await get("failed", { typeName, since, group: key, cursor });
    return { ids: page.groups.flatMap((each) => each.chainIds), nextCursor: page.nextCursor };
  };
  const { ids, nextCursor } = await next(undefined);
  const isWhole = nextCursor === undefined && ids.length <= maxItems();
  return { ids: ids.slice(0, maxItems()), all: isWhole ? undefined : { about: count, next } };
}

/** The chains of the group, read when somebody looks at them. */
function GroupChains({ group, since }: Omit<GroupCardProps, "onDone">) {
  const isOpen = useSignal(false);
  const { count } = group;
  return (
    <details
      class="group-chains"
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open;
      }}
    >
      <summary>{count > maxItems() ? `the newest ${counted(maxItems(), "chain")}` : counted(count, "chain")}</summary>
      {isOpen.value ? <ChainsOf group={group} since={since} /> : null}
    </details>
  );
}

function ChainsOf({ group, since }: Omit<GroupCardProps, "onDone">) {
  const { key, typeName, count, lastAt } = group;
  const { data, error, refresh } = useResource(JSON.stringify([typeName, key, since, count, lastAt]), async () =>
    itemsOf(group, since),
  );
  if (data.value !== undefined) return <ChainLinks ids={data.value.ids} />;
  return error.value === undefined ? <Loading rows={2} /> : <Failure error={error.value} onRetry={refresh} />;
}

function ChainLinks({ ids }: { readonly ids: readonly string[] }) {
  const all = useSignal(false);
  return (
    <>
      <ul>
        {ids.slice(0, all.value ? undefined : shownAtFirst).map((id) => (
          <li key={id}>
            <Link href={chainHref(id)}>
              <code>{id}</code>
            </Link>
          </li>
        ))}
      </ul>
      {ids.length <= shownAtFirst || all.value ? null : (
        <button
          type="button"
          class="button button-quiet button-small"
          onClick={() => {
            all.value = true;
          }}
        >
          Show all {formatCount(ids.length)}
        </button>
      )}
    </>
  );
}
