import type { ChainView } from "../../../src/protocol/views.ts";
import { CopyButton } from "../components/copy-button.tsx";
import { SelectOne } from "../components/select-box.tsx";
import { StatusBadge } from "../components/status.tsx";
import { Time } from "../components/time.tsx";
import { now } from "../data/now.ts";
import { formatDuration } from "../format/duration.ts";
import { Link } from "../routing/link.tsx";
import { chainHref } from "../routing/place.ts";
import { Labels } from "./labels.tsx";
import type { Selection } from "../data/selection.ts";

interface ChainRowProps {
  readonly chain: ChainView;
  /** The chain was deleted. Its row remains, so that the other rows do not move. */
  readonly gone: boolean;
  readonly selection: Selection | undefined;
}

export function ChainRow({ chain, gone, selection }: ChainRowProps) {
  const { id, typeName, status, createdAt, endedAt, error, reason } = chain;
  return (
    <tr class={gone ? "gone" : ""}>
      {selection === undefined ? null : (
        <td class="select-cell">
          <SelectOne selection={selection} id={id} name="chain" />
        </td>
      )}
      <td>{gone ? <span class="muted">Deleted</span> : <StatusBadge status={status} />}</td>
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
      <td>
        <Time at={createdAt} />
      </td>
      <td class="number nowrap">{formatDuration((endedAt ?? now.value) - createdAt)}</td>
      <td class="wide-only">
        {error === undefined ? (
          <span class="muted row-error">{reason ?? ""}</span>
        ) : (
          <span class="row-error" title={[error.message, ...error.causes].join("\n")}>
            <strong>{error.name}</strong> {error.message}
          </span>
        )}
      </td>
    </tr>
  );
}
