/** The version of this package, which workers report. `npm run version` writes it. */
export const packageVersion = "0.1.0";
