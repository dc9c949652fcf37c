/** A signal that ends the programs that run when this process is ended. */
export function endWithThisProcess(): AbortController {
  const ending = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.once(name, () => {
      ending.abort();
      process.exit(1);
    });
  }
  return ending;
}
