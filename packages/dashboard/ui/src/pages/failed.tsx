import { CircleCheck } from "lucide";
import { Button } from "../components/button.tsx";
import { Empty, Failure, Loading } from "../components/notice.tsx";
import { TypeField } from "../components/type-field.tsx";
import { useLive } from "../data/live.ts";
import { now } from "../data/now.ts";
import { nameOf, useFailedGroups, type FailedSoFar } from "../failed/failed-groups.ts";
import { GroupCard } from "../failed/group-card.tsx";
import { counted, formatCount } from "../format/number.ts";
import { Link } from "../routing/link.tsx";
import { hrefTo, place, replaceAddress } from "../routing/place.ts";
import { useTitle } from "../routing/title.ts";

const hourMs = 3_600_000;
const spans = [
  { last: "hour", label: "Last hour", ms: hourMs },
  { last: "day", label: "24 hours", ms: 24 * hourMs },
  { last: "week", label: "7 days", ms: 7 * 24 * hourMs },
  { last: "", label: "All", ms: Infinity },
] as const;

/** Failed chains, grouped by error: of the last hour, or of any time. */
export function FailedPage() {
  const { params } = place.value;
  const typeName = params.get("typeName") ?? "";
  const { last, ms } = spans.find((span) => span.last === params.get("last")) ?? spans[3];
  const queryNow = () => ({ typeName, since: ms === Infinity ? undefined : String(Math.max(0, now.value - ms)) });
  const { data, error, refresh, refreshIfQuick } = useFailedGroups(hrefTo("failed", { typeName, last }), queryNow);
  useLive({ onChanged: refreshIfQuick });
  const response = data.value;
  useTitle(response === undefined ? "Failed" : `${response.failureCount} failed`);

  return (
    <>
      <header class="page-head">
        <h1>Failed</h1>
        <nav class="segments" aria-label="Time">
          {spans.map((span) => (
            <Link key={span.last} href={hrefTo("failed", { typeName, last: span.last })} current={span.last === last}>
              {span.label}
            </Link>
          ))}
        </nav>
        <div class="page-tools">
          <TypeField value={typeName} onChange={(name) => replaceAddress(hrefTo("failed", { typeName: name, last }))} />
        </div>
      </header>
      {error.value === undefined ? null : <Failure error={error.value} onRetry={refresh} />}
      {response === undefined ? (
        error.value === undefined ? (
          <Loading rows={6} />
        ) : null
      ) : (
        <Groups response={response} queryNow={queryNow} onDone={refresh} />
      )}
    </>
  );
}

interface GroupsProps {
  readonly response: FailedSoFar;
  readonly queryNow: () => { readonly typeName: string; readonly since: string | undefined };
  readonly onDone: () => void;
}

function Groups({ response, queryNow, onDone }: GroupsProps) {
  const { groups, groupCount, failureCount, looked, total, isWhole } = response;
  if (groups.length === 0 && isWhole) return <Empty icon={CircleCheck} title="Nothing has failed" />;
  return (
    <>
      <p class="muted page-note" role="status">
        {counted(groupCount, "kind")} of error, {counted(failureCount, "failed step")}
        {groups.length < groupCount ? `; the ${formatCount(groups.length)} largest are shown` : ""}
        {isWhole ? "" : `; ${formatCount(looked)} of ${formatCount(total)} are counted so far`}{" "}
        {isWhole && looked > 5_000 ? (
          <Button small onClick={onDone}>
            Count again
          </Button>
        ) : null}
      </p>
      <ul class="groups">
        {groups.map((group) => (
          <GroupCard key={nameOf(group)} group={group} since={queryNow().since} onDone={onDone} />
        ))}
      </ul>
    </>
  );
}
