/**
 * Signals of the process that handed over to a newer Node. A service manager signals this process, and the other one must hear
 * of it. A terminal signals both; so does Windows, where to pass a signal on would end the other process at once.
 */
export const signalsOf = (platform) =>
  platform === 'win32'
    ? { passedOn: [], forBoth: ['SIGINT', 'SIGBREAK', 'SIGHUP'] }
    : { passedOn: ['SIGTERM', 'SIGHUP'], forBoth: ['SIGINT'] };

/** How often we look whether the process that started us is still there. */
const LOOK_EVERY_MS = 500;

/**
 * npm starts a program by a shell, which ends at a signal and does not pass it on: the program hears nothing, and goes on
 * by itself. It is told here that it was left. Programs that something else starts have a parent that may go.
 */
export function whenLeft(onLeft) {
  if (process.env.npm_command === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onLeft();
  }, LOOK_EVERY_MS);
  timer.unref();
}
