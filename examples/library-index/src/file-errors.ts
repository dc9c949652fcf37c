const sentences: Readonly<Record<string, string>> = {
  ENOENT: "it is not there any more",
  EACCES: "this user may not read it",
  EPERM: "this user may not read it",
  ELOOP: "it is not a file any more",
};

/** What to tell of an error that the file system gave; undefined: it gave none, the mistake is ours. */
export function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("syscall" in error) || !("code" in error)) return undefined;
  const code = String(error.code);
  return sentences[code] ?? `it cannot be read (${code})`;
}
