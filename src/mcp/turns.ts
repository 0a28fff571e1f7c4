import { createTurns } from '../base/cooperate.ts';

/** One request may ask for many things at once: each gets a turn of the event loop, so that others are answered in between. */
export const oneATurn = createTurns(1);
