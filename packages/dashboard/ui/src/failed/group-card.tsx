import { useSignal } from "@preact/signals";
import type { FailedGroup } from "../../../src/protocol/reads.ts";
import { ActionButton } from "../actions/action-buttons.tsx";
import { Time } from "../components/time.tsx";
import { maxItems } from "../data/session.ts";
import { counted, formatCount } from "../format/number.ts";
import { Link } from "../routing/link.tsx";
import { chainHref } from "../routing/place.ts";

interface GroupProps {
  readonly group: FailedGroup;
}

interface GroupCardProps extends GroupProps {
  readonly onDone: () => void;
}

const shownAtFirst = 10;

/** The chains that failed with one error, and the actions for all of them. */
export function GroupCard({ group, onDone }: GroupCardProps) {
  return (
    <li class="card group">
      <div class="group-head">
        <span class="group-count" data-state="failed">
          {formatCount(group.count)}
        </span>
        <GroupText group={group} />
        <GroupActions group={group} onDone={onDone} />
      </div>
      <GroupChains group={group} />
    </li>
  );
}

function GroupText({ group: { typeName, errorName, message, count, firstAt, lastAt, chainIds } }: GroupProps) {
  const most = maxItems();
  return (
    <div class="group-text">
      <h2>{errorName}</h2>
      <p class="group-message">{message}</p>
      <p class="muted group-line">
        <code>{typeName}</code>
        <span>
          Last <Time at={lastAt} />
        </span>
        {count > 1 ? (
          <span>
            First <Time at={firstAt} />
          </span>
        ) : null}
        {chainIds.length > most ? <span>At most {formatCount(most)} at once</span> : null}
      </p>
    </div>
  );
}

function GroupActions({ group: { typeName, errorName, chainIds }, onDone }: GroupCardProps) {
  const ids = chainIds.slice(0, maxItems());
  const which = `${counted(ids.length, "chain")} of ${typeName} with ${errorName}`;
  return (
    <div class="group-tools">
      <ActionButton
        action="retry"
        primary
        ids={ids}
        editFor={typeName}
        text={`Retry ${formatCount(ids.length)}`}
        label={`Retry ${which}`}
        onDone={onDone}
      />
      <ActionButton action="delete" ids={ids} label={`Delete ${which}`} onDone={onDone} />
    </div>
  );
}

function GroupChains({ group: { chainIds } }: GroupProps) {
  const all = useSignal(false);
  return (
    <details class="group-chains">
      <summary>{counted(chainIds.length, "chain")}</summary>
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
