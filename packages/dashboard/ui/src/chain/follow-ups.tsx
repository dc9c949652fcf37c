import type { FollowUpView } from "../../../src/protocol/follow-ups.ts";
import { Panel } from "../components/panel.tsx";
import { StatusBadge } from "../components/status.tsx";
import { Link } from "../routing/link.tsx";
import { chainHref } from "../routing/place.ts";

const kinds: Readonly<Record<FollowUpView["kind"], string>> = {
  compensation: "undoes a step",
  "when-stopped": "runs after all others",
};

/** The chains that the stop of this chain has started, in the order in which they run. */
export function FollowUps({ of: followUps }: { readonly of: readonly FollowUpView[] }) {
  if (followUps.length === 0) return null;
  return (
    <Panel title="Compensations" note="one after the other">
      <ol class="follow-ups">
        {followUps.map(({ id, typeName, kind, status }) => (
          <li key={id}>
            <StatusBadge status={status} /> <Link href={chainHref(id)}>{typeName}</Link>{" "}
            <span class="muted">{kinds[kind]}</span>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
