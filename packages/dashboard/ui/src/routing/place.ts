import { signal } from "@preact/signals";

/** Where the reader is: a path below the dashboard's base, and what stands behind its question mark. */
export interface Place {
  readonly path: string;
  readonly params: URLSearchParams;
  /** The pages of a list that were gone through to come here. */
  readonly pagesBefore: number;
}

/** What a list's address says; `undefined` leaves a parameter out. */
export type Params = Readonly<Record<string, string | readonly string[] | undefined>>;

// The server writes `<base href>` into the page, so the same bundle works below any path.
const basePath = new URL(document.baseURI).pathname;

/** The place that is shown now. */
export const place = signal<Place>(currentPlace());

addEventListener("popstate", () => {
  place.value = currentPlace();
});

/** The address of a place, relative to the base. */
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

/** Goes to an address of this dashboard. */
export function navigate(href: string, pagesBefore = 0): void {
  history.pushState({ pagesBefore }, "", href);
  place.value = currentPlace();
  scrollTo(0, 0);
}

/** Corrects the address without a new entry in the history: filters as they are typed. */
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
