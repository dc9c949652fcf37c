import type { ProgressView } from "../../../src/protocol/progress.ts";
import type { ChainRowView } from "../../../src/protocol/views.ts";
import { CopyButton } from "../components/copy-button.tsx";
import { SelectOne } from "../components/select-box.tsx";
import { StatusBadge } from "../components/status.tsx";
import { Time } from "../components/time.tsx";
import { now } from "../data/now.ts";
import { formatDuration } from "../format/duration.ts";
import { Link } from "../routing/link.tsx";
import { chainHref } from "../routing/place.ts";
import { Labels } from "./labels.tsx";
import { Where } from "./where-cell.tsx";
import type { Selection } from "../data/selection.ts";

interface ChainRowProps {
  readonly chain: ChainRowView;
  readonly progress: ProgressView | undefined;
  /** The chain was deleted. Its row remains, so that the other rows do not move. */
  readonly gone: boolean;
  readonly selection: Selection | undefined;
}

export function ChainRow({ chain, progress, gone, selection }: ChainRowProps) {
  const { id, typeName, status, createdAt, endedAt, current } = chain;
  return (
    <tr class={gone ? "gone" : ""}>
      {selection === undefined ? null : (
        <td class="select-cell">
          <SelectOne selection={selection} id={id} name="chain" />
        </td>
      )}
      <td class="status-cell">
        {gone ? (
          <span class="muted">Deleted</span>
        ) : (
          <StatusBadge status={status === "active" ? (current?.status ?? status) : status} />
        )}
      </td>
      <th scope="row">
        <Link href={chainHref(id)} class="type-link">
          {typeName}
        </Link>
        <span class="with-copy">
          <code class="muted chain-id">{id}</code>
          <CopyButton label={`Copy id ${id}`} text={id} />
        </span>
        <Labels of={chain} />
      </th>
      <td class="where-cell">
        <Where chain={chain} progress={progress} />
      </td>
      <td class="nowrap started-cell">
        <Time at={createdAt} />
      </td>
      <td class="number nowrap length-cell">{formatDuration((endedAt ?? now.value) - createdAt)}</td>
    </tr>
  );
}
