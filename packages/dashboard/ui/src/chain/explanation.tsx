import type { ExplanationView } from "../../../src/protocol/views.ts";
import { CircleQuestionMark } from "lucide";
import { Facts } from "../components/facts.tsx";
import { LimitStrip } from "../limits/limit-strip.tsx";
import { Icon } from "../components/icon.tsx";
import { StatusBadge } from "../components/status.tsx";
import { FullTime } from "../components/time.tsx";
import { counted } from "../format/number.ts";
import { Causes } from "./causes.tsx";
import { Link } from "../routing/link.tsx";
import { chainHref } from "../routing/place.ts";

const headings: Partial<Record<ExplanationView["status"], string>> = {
  running: "What is it doing?",
  failed: "Why did it fail?",
};

/** Why a step is not running: a sentence and the facts. */
export function Explanation({ of }: { readonly of: ExplanationView }) {
  const { status, summary, lastError, dueAt, leasedBy, leasedUntil, ahead, workers, blockedBy, limitedBy } = of;
  return (
    <section class="explanation" data-state={status} aria-label="Explanation">
      <Icon of={CircleQuestionMark} />
      <div>
        <h2>{headings[status] ?? "Why is this not running?"}</h2>
        <p>{summary}</p>
        {lastError === undefined ? null : (
          <>
            <p>
              Attempt {lastError.attempt} failed: <strong>{lastError.name}</strong> {lastError.message}
            </p>
            <Causes of={lastError} />
          </>
        )}
        <Facts
          of={[
            dueAt === undefined ? undefined : ["Due", <FullTime at={dueAt} />],
            leasedBy === undefined ? undefined : ["Leased by", <code>{leasedBy}</code>],
            leasedUntil === undefined ? undefined : ["Lease expires", <FullTime at={leasedUntil} />],
            ahead === undefined
              ? undefined
              : ["Ahead of it", ahead >= 1_000 ? "1,000 jobs or more" : counted(ahead, "job")],
            ["Live workers", workers.length === 0 ? "none handles this type" : workers.join(", ")],
          ]}
        />
        {limitedBy.map((limit) => (
          <LimitStrip key={`${limit.limit} ${limit.key}`} of={limit} />
        ))}
        {blockedBy.length === 0 ? null : (
          <ul class="explanation-blockers">
            {blockedBy.map((chain) => (
              <li key={chain.id}>
                <StatusBadge status={chain.status} /> <Link href={chainHref(chain.id)}>{chain.typeName}</Link>{" "}
                <code class="muted">{chain.id}</code>
              </li>
            ))}
          </ul>
        )}
      </div>
    </section>
  );
}
