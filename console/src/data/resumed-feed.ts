/** A feed that is opened again where another one ended. */
import type { Feed, FeedView } from './feed.ts';
import { MOST_SHOWN } from './feed-pages.ts';
import { observable } from './observable.ts';

/**
 * The list of before stays until the new one reaches as far back, so that the reader keeps the place. While the reader
 * holds the feed, what came meanwhile waits, as it would have done in a feed that was never closed.
 */
export function resumed(feed: Feed, before: FeedView): Feed {
  const older = before.older === 'none' ? 'none' : 'loading';
  const shown = observable<FeedView>({ ...before, state: 'reconnecting', older });
  const newest = before.matches[0]!.id;
  let isBack = false;
  let mayWait = true;
  const show = () => {
    const view = feed.get();
    if (!isBack && view.state !== 'failed') return shown.set({ ...shown.get(), isHeld: view.isHeld });
    mayWait &&= view.isHeld;
    const more = mayWait
      ? Math.max(
          0,
          view.matches.findIndex(({ id }) => id === newest),
        )
      : 0;
    shown.set(more === 0 ? view : { ...view, matches: view.matches.slice(more), waiting: view.waiting + more });
  };
  const unsubscribe = feed.subscribe(show);
  const goBack = async () => {
    await reachBack(feed, before);
    isBack = true;
    show();
  };
  void goBack();
  return {
    ...feed,
    get: shown.get,
    subscribe: shown.subscribe,
    close() {
      unsubscribe();
      feed.close();
    },
  };
}

/** Loads pages until the oldest match of before is among them, or as many as a list may have. */
async function reachBack(feed: Feed, { matches }: FeedView): Promise<void> {
  await untilLoaded(feed);
  const oldest = matches.at(-1)!.created_at;
  const most = Math.max(MOST_SHOWN, matches.length);
  for (let count = -1; ; ) {
    const { matches: found, older } = feed.get();
    const isThere = (found.at(-1)?.created_at ?? oldest) <= oldest;
    // A page that could not be loaded is not asked for again and again.
    if (older !== 'more' || isThere || found.length >= most || found.length === count) return;
    count = found.length;
    await feed.loadOlder();
  }
}

const untilLoaded = (feed: Feed): Promise<void> =>
  new Promise((done) => {
    const stop = feed.subscribe(() => {
      const { isLoaded, state } = feed.get();
      if (!isLoaded && state !== 'failed') return;
      stop();
      done();
    });
  });
