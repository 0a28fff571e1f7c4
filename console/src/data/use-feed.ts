/** The live feed of a page. A hidden tab closes its connection: a browser allows six per host, for all tabs together. */
import { useEffect, useRef, useState } from 'react';
import { pauseAfter, watchedClient } from './client.ts';
import { type Feed, type FeedView, LOADING, openFeed } from './feed.ts';
import type { FeedFilter } from './feed-filter.ts';
import { observable, useObservable } from './observable.ts';
import { resumed } from './resumed-feed.ts';
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
    const fresh = openFeed(JSON.parse(wanted) as FeedFilter, {
      connect: watchedClient,
      onFailure: noticeFailure,
      pause: pauseAfter,
    });
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
