/**
 * The version of the port {@link StateAdapter}. It grows with every change after which an adapter for the version before would not
 * work. An adapter writes the number that its code implements, and not this constant: the constant is that of the installed
 * `chainwright`, which may be another version.
 *
 * @example
 * const isCurrent = (adapter: StateAdapter): boolean => adapter.portVersion === statePortVersion;
 */
export const statePortVersion = 1;

/**
 * The version of the port {@link NotifyAdapter}, which adapters write as they write {@link statePortVersion}.
 *
 * @example
 * const isCurrent = (adapter: NotifyAdapter): boolean => adapter.portVersion === notifyPortVersion;
 */
export const notifyPortVersion = 1;
