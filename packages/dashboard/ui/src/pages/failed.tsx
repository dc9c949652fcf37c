import { CircleCheck } from "lucide";
import type { FailedResponse } from "../../../src/protocol/reads.ts";
import { Empty, Failure, Loading } from "../components/notice.tsx";
import { Pager } from "../components/pager.tsx";
import { TypeField } from "../components/type-field.tsx";
import { get } from "../data/api.ts";
import { useLive } from "../data/live.ts";
import { useResource } from "../data/resource.ts";
import { GroupCard } from "../failed/group-card.tsx";
import { counted, formatCount } from "../format/number.ts";
import { hrefTo, place, replaceAddress } from "../routing/place.ts";

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
