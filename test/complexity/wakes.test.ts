/** A rehearsal of a wake contract: its work follows the number of matches, also when each of them fills a digest. */
import { rehearse } from '../../src/wakes/rehearse.ts';
import { doubling, upTo } from './doubling.ts';

const NIGHT = Date.parse('2026-11-15T03:00:00Z');

doubling('matches of one second, each with a digest of its own', {
  sizes: upTo(16 * 1024),
  make: (size) => Array.from({ length: size }, () => ({ at: NIGHT, story: undefined, relevance: null })),
  work: (matches) =>
    void rehearse({ per: 'match', atMost: { count: 1, window: 'day' }, digest: { whenWaiting: 1 } }, matches),
});
