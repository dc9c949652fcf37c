/** The address that only this machine reaches. */
export const loopback = "127.0.0.1";
