import { setImmediate } from 'node:timers/promises';

/** Lets other work of the program go on between two slices. */
export const breathe = (): Promise<void> => setImmediate();
