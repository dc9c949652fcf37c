const sentences: Readonly<Record<string, string>> = {
  ENOENT: "it no longer exists",
  EACCES: "this user may not read it",
  EPERM: "this user may not read it",
  ELOOP: "it is no longer a file",
};

/** Describes an error of the file system; returns undefined for every other error. */
export function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("syscall" in error) || !("code" in error)) return undefined;
  const code = String(error.code);
  return sentences[code] ?? `it cannot be read (${code})`;
}
