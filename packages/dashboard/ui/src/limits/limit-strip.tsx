import { Gauge } from "lucide";
import type { LimitKeyView } from "../../../src/protocol/limits.ts";
import { Icon } from "../components/icon.tsx";
import { formatCount } from "../format/number.ts";
import { Link } from "../routing/link.tsx";
import { hrefTo } from "../routing/place.ts";
import { LimitBadges } from "./limit-badges.tsx";

/** A limit that lets a job not begin now: how full its key is, and where to change it. */
export function LimitStrip({ of: info }: { readonly of: LimitKeyView }) {
  const { id, limit, key, running, concurrency, waiting, opensAt } = info;
  const place = id === undefined ? { limit } : { limit, key };
  return (
    <p class="limit-strip" data-state="blocked">
      <Icon of={Gauge} />
      <Link href={hrefTo("limits", place)}>
        {limit}: {key}
      </Link>
      <span>
        {formatCount(running)}
        {concurrency === undefined ? "" : ` of ${formatCount(concurrency)}`} run, {formatCount(waiting)} wait
      </span>
      <LimitBadges of={info} opensAt={opensAt} />
    </p>
  );
}
