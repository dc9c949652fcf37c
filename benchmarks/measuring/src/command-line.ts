/**
 * What the arguments of this process say. Where they cannot be read, the message goes to the standard error, and the process ends with
 * the status 2.
 */
export function fromCommandLine<Settings>(read: (args: readonly string[]) => Settings): Settings {
  try {
    return read(process.argv.slice(2));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  }
}
