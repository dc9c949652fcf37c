import { useSignal } from "@preact/signals";
import { CircleCheck } from "lucide";
import type { FailedResponse, FailedGroup } from "../../../src/protocol/reads.ts";
import { ActionButton } from "../actions/action-buttons.tsx";
import { Empty, Failure, Loading } from "../components/notice.tsx";
import { Pager } from "../components/pager.tsx";
import { Time } from "../components/time.tsx";
import { TypeField } from "../components/type-field.tsx";
import { get } from "../data/api.ts";
import { useLive } from "../data/live.ts";
import { useResource } from "../data/resource.ts";
import { maxItems } from "../data/session.ts";
import { counted, formatCount } from "../format/number.ts";
import { Link } from "../routing/link.tsx";
import { chainHref, hrefTo, place, replaceAddress } from "../routing/place.ts";

/** Failed chains, grouped by error. */
export function FailedPage() {
  const { params } = place.value;
  const typeName = params.get("typeName") ?? "";
  const cursor = params.get("cursor") ?? undefined;
  const query = { typeName, cursor };
  const { data, error, refresh } = useResource(hrefTo("failed", query), (signal) => get("failed", query, signal));
  useLive({ onChanged: refresh });
  const response = data.value;

  return (
    <>
      <header class="page-head">
        <h1>Failed</h1>
        <div class="page-tools">
          <TypeField value={typeName} onChange={(name) => replaceAddress(hrefTo("failed", { typeName: name }))} />
        </div>
      </header>
      {error.value === undefined ? null : <Failure error={error.value} onRetry={refresh} />}
      {response === undefined ? (
        error.value === undefined ? (
          <Loading rows={6} />
        ) : null
      ) : (
        <>
          <Groups response={response} onDone={refresh} />
          <Pager
            path="failed"
            params={query}
            page={{ items: response.groups, nextCursor: response.nextCursor, now: response.now, searchedTo: undefined }}
          />
        </>
      )}
    </>
  );
}

function Groups({
  response: { groups, looked, total },
  onDone,
}: {
  readonly response: FailedResponse;
  readonly onDone: () => void;
}) {
  if (groups.length === 0) return <Empty icon={CircleCheck} title="Nothing has failed" />;
  return (
    <>
      <p class="muted page-note">
        {counted(groups.length, "kind")} of error among {looked < total ? `the newest ${formatCount(looked)} of ` : ""}
        {counted(total, "failed step")}
      </p>
      <ul class="groups">
        {groups.map((group) => (
          <GroupCard key={group.key} group={group} onDone={onDone} />
        ))}
      </ul>
    </>
  );
}

const shownAtFirst = 10;

function GroupCard({ group, onDone }: { readonly group: FailedGroup; readonly onDone: () => void }) {
  const { typeName, errorName, message, count, firstAt, lastAt, chainIds } = group;
  const all = useSignal(false);
  const most = maxItems();
  const ids = chainIds.slice(0, most);
  return (
    <li class="card group">
      <div class="group-head">
        <span class="group-count" data-state="failed">
          {formatCount(count)}
        </span>
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
        <div class="group-tools">
          <ActionButton
            action="retry"
            primary
            ids={ids}
            editFor={typeName}
            text={`Retry ${formatCount(ids.length)}`}
            label={`Retry ${counted(ids.length, "chain")} of ${typeName} with ${errorName}`}
            onDone={onDone}
          />
          <ActionButton
            action="delete"
            ids={ids}
            label={`Delete ${counted(ids.length, "chain")} of ${typeName} with ${errorName}`}
            onDone={onDone}
          />
        </div>
      </div>
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
    </li>
  );
}
