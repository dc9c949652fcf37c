/** The version of this package, which agents are told. `npm run version` writes it. */
export const packageVersion = "0.1.0";
