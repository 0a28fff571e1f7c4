import { expect, it } from 'vitest';
import { type Feed, type FeedView, LOADING } from './feed.ts';
import { observable } from './observable.ts';
import type { Match } from './queries.ts';
import { resumed } from './resumed-feed.ts';

const matchOf = (number: number) =>
  ({ id: `match_${number}`, created_at: new Date(number).toISOString() }) as Partial<Match> as Match;

const BEFORE: FeedView = { ...LOADING, state: 'live', isLoaded: true, matches: [matchOf(2), matchOf(1)] };

/** A feed whose view a test sets. */
function fed() {
  const view = observable(LOADING);
  const feed: Feed = {
    get: view.get,
    subscribe: view.subscribe,
    hold: () => {},
    release: () => {},
    loadOlder: async () => {},
    close: () => {},
  };
  return { feed, set: (part: Partial<FeedView>) => view.set({ ...view.get(), ...part }) };
}

const settled = () => new Promise((done) => setImmediate(done));

it('a feed that is opened again keeps its rows while the server is away, until there are new ones', async () => {
  const { feed, set } = fed();
  const shown = resumed(feed, BEFORE);
  set({ state: 'reconnecting', error: new Error('There is no answer.') });
  await settled();
  expect(shown.get()).toMatchObject({ state: 'reconnecting', matches: BEFORE.matches });
  set({ state: 'live', isLoaded: true, error: undefined, matches: [matchOf(3), ...BEFORE.matches] });
  await settled();
  expect(shown.get()).toMatchObject({ state: 'live', matches: [matchOf(3), ...BEFORE.matches] });
  shown.close();
});

it('a feed that is opened again says why it failed, where waiting does not help', async () => {
  const { feed, set } = fed();
  const shown = resumed(feed, BEFORE);
  set({ state: 'failed', error: new Error('It is refused.') });
  await settled();
  expect(shown.get()).toMatchObject({ state: 'failed', matches: [] });
});
