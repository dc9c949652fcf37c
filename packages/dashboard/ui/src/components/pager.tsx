import { ArrowLeft, ArrowRight, ChevronFirst } from "lucide";
import type { Page } from "../../../src/protocol/views.ts";
import { hrefTo, navigate, place, type Params } from "../routing/place.ts";
import { formatRelative } from "../format/moment.ts";
import { now } from "../data/now.ts";
import { Button } from "./button.tsx";

interface PagerProps {
  readonly path: string;
  /** The parameters of this page, its cursor included. */
  readonly params: Params;
  readonly page: Page<unknown>;
}

/** Pages by cursor: new rows do not move the pages. */
export function Pager({ path, params, page: { items, nextCursor, searchedTo } }: PagerProps) {
  const { pagesBefore } = place.value;
  const first = params["cursor"] === undefined;
  if (first && nextCursor === undefined) return null;
  const goTo = (cursor: string | undefined, before: number) => navigate(hrefTo(path, { ...params, cursor }), before);
  return (
    <nav class="pager" aria-label="Pages">
      <span class="muted pager-note">
        {searchedTo === undefined
          ? ""
          : `${items.length === 0 ? "Nothing found" : "Searched"} back to ${formatRelative(searchedTo, now.value)}`}
      </span>
      <Button icon={ChevronFirst} disabled={first} onClick={() => goTo(undefined, 0)}>
        First
      </Button>
      {/* There are no backward cursors: the browser's history has the previous page. */}
      <Button icon={ArrowLeft} disabled={pagesBefore === 0} onClick={() => history.back()}>
        Previous
      </Button>
      <Button icon={ArrowRight} disabled={nextCursor === undefined} onClick={() => goTo(nextCursor, pagesBefore + 1)}>
        {searchedTo === undefined ? "Next" : "Search further"}
      </Button>
    </nav>
  );
}
