/** How a process finds the store. */
export type RollingPlace =
  | { readonly kind: "postgres"; readonly url: string }
  | { readonly kind: "sqlite"; readonly path: string };

/** Which release a process runs. */
export type ReleaseName = "last" | "this";
