/** How the sources of an account do. */
import type { ListedSource } from '../data/queries.ts';
import type { Shown } from './shown.ts';

export const VISITED_STATES = {
  ok: { words: 'Good', tone: 'ok', about: 'It brings events.' },
  silent: { words: 'Silent', tone: 'neutral', about: 'It answers, and nothing is new there.' },
  waiting: { words: 'Waiting', tone: 'neutral', about: 'It was not visited yet, or a limit of the account keeps it.' },
  paused: { words: 'Paused', tone: 'neutral', about: 'It is not visited until you resume it.' },
  moved: { words: 'Moved', tone: 'warn', about: 'It answers from another address for good. Add it anew from there.' },
  failing: { words: 'Failing', tone: 'bad', about: 'It does not answer as it should. Sluice tries again by itself.' },
  blocked: { words: 'Blocked', tone: 'bad', about: 'It refuses programs, by its answer or by its robots.txt.' },
  changed: { words: 'Changed', tone: 'bad', about: 'What it answers cannot be read any more. Choose the part anew.' },
} as const satisfies Record<ListedSource['status'], Shown>;
