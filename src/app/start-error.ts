/** Why the program cannot start although its settings are right. The message says what to do; the exit status is 1. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
