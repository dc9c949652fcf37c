import { useSignal } from "@preact/signals";
import type { FailedGroup } from "../../../src/protocol/reads.ts";
import { ActionButton } from "../actions/action-buttons.tsx";
import type { AllItems } from "../actions/all-items.ts";
import { get } from "../data/api.ts";
import { Time } from "../components/time.tsx";
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
      <GroupChains group={group} />
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
  const { key, typeName, errorName, chainIds, count } = group;
  const ids = chainIds.slice(0, maxItems());
  const isMore = count > ids.length;
  const all: AllItems | undefined = isMore
    ? {
        about: count,
        next: async (cursor) => {
          const page = await get("failed", { typeName, since, group: key, cursor });
          return { ids: page.groups.flatMap((each) => each.chainIds), nextCursor: page.nextCursor };
        },
      }
    : undefined;
  const which = `${counted(count, "chain")} of ${typeName} with ${errorName}`;
  return (
    <div class="group-tools">
      <ActionButton
        action="retry"
        primary
        ids={ids}
        all={all}
        editFor={typeName}
        text={`Retry ${isMore ? "all " : ""}${formatCount(count)}`}
        label={`Retry ${which}`}
        onDone={onDone}
      />
      <ActionButton action="delete" ids={ids} all={all} label={`Delete ${which}`} onDone={onDone} />
    </div>
  );
}

function GroupChains({ group: { chainIds, count } }: GroupProps) {
  const all = useSignal(false);
  return (
    <details class="group-chains">
      <summary>
        {chainIds.length < count ? `the newest ${counted(chainIds.length, "chain")}` : counted(count, "chain")}
      </summary>
      <ul>
        {chainIds.slice(0, all.value ? undefined : shownAtFirst).map((id) => (
          <li key={id}>
            <Link href={chainHref(id)}>
              <code>{id}</code>
            </Link>
          </li>
        ))}
      </ul>
      {chainIds.length <= shownAtFirst || all.value ? null : (
        <button
          type="button"
          class="button button-quiet button-small"
          onClick={() => {
            all.value = true;
          }}
        >
          Show all {formatCount(chainIds.length)}
        </button>
      )}
    </details>
  );
}
