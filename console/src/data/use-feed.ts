/** The live feed of a page. A hidden tab closes its connection: a browser allows six per host, for all tabs together. */
import { useEffect, useRef, useState } from 'react';
import { watchedClient } from './client.ts';
import { type Feed, type FeedView, LOADING, openFeed } from './feed.ts';
import type { FeedFilter } from './feed-filter.ts';
import { MOST_SHOWN } from './feed-pages.ts';
import { observable, useObservable } from './observable.ts';
import { noticeFailure, useSession } from './session.ts';

const HIDDEN_FOR = 30_000;

/** Shown until the first feed is open. */
const none = observable(LOADING);

export function useFeed(filter: FeedFilter): { view: FeedView; feed: Feed | undefined } {
  const wanted = JSON.stringify(filter);
  const [feed, setFeed] = useState<Feed>();
  const [round, setRound] = useState({});
  const last = useRef<{ wanted: string; feed: Feed }>(undefined);
  const hasEnded = useSession() === 'ended';
  useEffect(() => {
    // A feed whose session has ended stays as it is, and opens again with the next session.
    if (hasEnded) return;
    /** Each round is a new object, so the effect runs again and opens the same feed anew. */
    const nextRound = () => setRound((latest) => (latest === round ? {} : latest));
    const before = last.current?.wanted === wanted ? last.current.feed.get() : LOADING;
    const fresh = openFeed(JSON.parse(wanted) as FeedFilter, { connect: watchedClient, onFailure: noticeFailure });
    const opened = before.matches.length === 0 ? fresh : resumed(fresh, before);
    last.current = { wanted, feed: opened };
    setFeed(opened);
    const unwatch = watchVisibility(() => opened.close(), nextRound);
    return () => {
      unwatch();
      opened.close();
    };
  }, [wanted, round, hasEnded]);
  return { feed, view: useObservable(feed ?? none) };
}

/**
 * The list of before stays until the new one reaches as far back, so that the reader keeps the place. While the reader
 * holds the feed, what came meanwhile waits, as it would have done in a feed that was never closed.
 */
function resumed(feed: Feed, before: FeedView): Feed {
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
      if (feed.get().state === 'loading') return;
      stop();
      done();
    });
  });

/** Calls back when the page has been hidden for 30 seconds, and when it is visible again after that. */
function watchVisibility(onHidden: () => void, onSeen: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAway = false;
  const look = () => {
    clearTimeout(timer);
    if (document.visibilityState === 'visible') {
      if (isAway) onSeen();
      return;
    }
    timer = setTimeout(() => {
      isAway = true;
      onHidden();
    }, HIDDEN_FOR);
  };
  document.addEventListener('visibilitychange', look);
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', look);
  };
}
