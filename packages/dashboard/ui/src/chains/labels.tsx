import type { ChainView } from "../../../src/protocol/views.ts";
import { Link } from "../routing/link.tsx";
import { hrefTo } from "../routing/place.ts";

interface LabelsProps {
  readonly of: Pick<ChainView, "tags" | "deduplicationKey">;
}

/** The tags and the deduplication key of a chain, as links to all chains that have them. */
export function Labels({ of: { tags, deduplicationKey } }: LabelsProps) {
  if (tags.length === 0 && deduplicationKey === undefined) return null;
  return (
    <span class="labels">
      {tags.map(({ name, value }) => (
        <Link key={name} href={hrefTo("chains", { tag: `${name}=${value}` })} class="label">
          {name}={value}
        </Link>
      ))}
      {deduplicationKey === undefined ? null : (
        <Link href={hrefTo("chains", { key: deduplicationKey })} class="label">
          key {deduplicationKey}
        </Link>
      )}
    </span>
  );
}
