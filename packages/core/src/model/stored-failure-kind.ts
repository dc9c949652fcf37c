/**
 * The kind of failures because of a blocker: their errors name the blocker, so all have the same.
 *
 * @example
 * const kindOf = (job: JobRecord, blocker: ChainRecord | undefined) =>
 *   blocker === undefined ? storedFailureKind(job.errors) : blockerFailureKind;
 */
export const blockerFailureKind = "blocker";

/** A job's errors end so, if the kind of its failure is stored. No message can look like it: its quotes are escaped. */
const atTheEnd = /"kind":"(\w{1,32})"\}\]$/;
/** Longer than the end that has a kind. */
const longestEnd = 60;

/**
 * The kind of the failure of a job, from its errors as JSON text. Empty: none is stored, because a process of an older release wrote it.
 *
 * @example
 * const kindOf = (job: JobRecord) => storedFailureKind(job.errors);
 */
export function storedFailureKind(errors: string | undefined): string {
  const [, kind] = atTheEnd.exec(errors?.slice(-longestEnd) ?? "") ?? [];
  return kind ?? (isOfBlocker(errors) ? blockerFailureKind : "");
}

/** The errors of `blockerFailureErrors` replace all others, and no attempt has their number. */
function isOfBlocker(errors: string | undefined): boolean {
  if (errors?.startsWith('[{"attempt":0,') !== true) return false;
  try {
    const parsed: unknown = JSON.parse(errors);
    return Array.isArray(parsed) && parsed.length === 1;
  } catch {
    return false;
  }
}
