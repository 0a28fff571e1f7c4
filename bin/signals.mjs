/**
 * Signals of the process that handed over to a newer Node. A service manager signals this process, and the other one must hear
 * of it. A terminal signals both; so does Windows, where to pass a signal on would end the other process at once.
 */
export const signalsOf = (platform) =>
  platform === 'win32'
    ? { passedOn: [], forBoth: ['SIGINT', 'SIGBREAK', 'SIGHUP'] }
    : { passedOn: ['SIGTERM', 'SIGHUP'], forBoth: ['SIGINT'] };
