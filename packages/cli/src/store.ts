/**
 * The store of a program beside the command line, named and opened as its commands do it.
 *
 * @module
 */
export { openClient, tellFailure, type OpenClientOptions, type OpenedClient } from "./store/open-client.ts";
