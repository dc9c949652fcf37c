import { signal } from "@preact/signals";

/** The current page: a path below the dashboard's base, and its query parameters. */
export interface Place {
  readonly path: string;
  readonly params: URLSearchParams;
  /** The number of pages of a list before this one. */
  readonly pagesBefore: number;
}

/** Query parameters; those with the value `undefined` are left out. */
export type Params = Readonly<Record<string, string | readonly string[] | undefined>>;

// The server writes `<base href>` into the page, so the same bundle works below any path.
const basePath = new URL(document.baseURI).pathname;

/** The page that is shown. */
export const place = signal<Place>(currentPlace());

addEventListener("popstate", () => {
  place.value = currentPlace();
});

/** Returns the address of a page. */
export function hrefTo(path: string, params: Params = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    for (const each of typeof value === "string" ? [value] : (value ?? [])) if (each !== "") search.append(name, each);
  }
  const query = search.toString();
  return `${basePath}${path}${query === "" ? "" : `?${query}`}`;
}

export function chainHref(id: string): string {
  return hrefTo(`chains/${encodeURIComponent(id)}`);
}

export function scheduleHref(id: string): string {
  return hrefTo(`schedules/${encodeURIComponent(id)}`);
}

/** Shows another page of this dashboard. */
export function navigate(href: string, pagesBefore = 0): void {
  history.pushState({ pagesBefore }, "", href);
  place.value = currentPlace();
  scrollTo(0, 0);
}

/** Replaces the address without a new entry in the browser's history, for filters while they are typed. */
export function replaceAddress(href: string): void {
  history.replaceState(null, "", href);
  place.value = currentPlace();
}

function currentPlace(): Place {
  const { pathname, search } = location;
  const below = pathname.startsWith(basePath) ? pathname.slice(basePath.length) : "";
  const state = history.state as { readonly pagesBefore?: number } | null;
  return {
    path: below.replace(/\/+$/, ""),
    params: new URLSearchParams(search),
    pagesBefore: state?.pagesBefore ?? 0,
  };
}
