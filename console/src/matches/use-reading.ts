/** The reader's place: the open match, the match that the keyboard has selected, and whether the feed may move. */
import { useCallback, useEffect, useState } from 'react';
import type { FeedView } from '../data/feed.ts';
import type { Match } from '../data/queries.ts';
import { readEvent } from '../event/reading.ts';
import type { DetailTab } from './detail.tsx';
import type { Shortcut } from './shortcuts.ts';

export function useReading(view: FeedView, release: () => void) {
  const [open, setOpen] = useState<Match>();
  const [currentId, setCurrentId] = useState<string>();
  const [tab, setTab] = useState<DetailTab>('event');
  const [isPaused, setPaused] = useState(false);
  const isAtTop = useIsAtTop();

  const openMatch = useCallback((match: Match) => {
    setOpen(match);
    setCurrentId(match.id);
  }, []);
  const close = useCallback(() => {
    setOpen(undefined);
    setCurrentId(undefined);
  }, []);
  const togglePause = useCallback(() => setPaused((last) => !last), []);
  const showNewest = useCallback(() => {
    setOpen(undefined);
    setCurrentId(undefined);
    setPaused(false);
    release();
    window.scrollTo({ top: 0 });
  }, [release]);

  function move(by: number): void {
    const at = currentId === undefined ? -1 : view.matches.findIndex(({ id }) => id === currentId);
    const match = view.matches[Math.max(0, Math.min(at + by, view.matches.length - 1))];
    if (match === undefined) return;
    setCurrentId(match.id);
    if (open !== undefined) setOpen(match);
  }

  function show(wanted: DetailTab): void {
    const match = view.matches.find(({ id }) => id === currentId) ?? open ?? view.matches[0];
    if (match === undefined) return;
    openMatch(match);
    setTab(wanted);
  }

  function visit(): void {
    const match = open ?? view.matches.find(({ id }) => id === currentId);
    const link = match && readEvent(match.platform, match.payload, [], match.demo).link;
    if (link !== undefined) window.open(link, '_blank', 'noopener,noreferrer');
  }

  const does: Record<Exclude<Shortcut, 'search'>, () => void> = {
    next: () => move(1),
    previous: () => move(-1),
    open: () => show('event'),
    why: () => show('why'),
    payload: () => show('payload'),
    visit,
    pause: togglePause,
    newest: showNewest,
    // The first Escape closes the match and keeps the selection. The second clears it, and the feed resumes.
    close: open === undefined ? close : () => setOpen(undefined),
  };
  return {
    open,
    currentId,
    tab,
    isPaused,
    isHeld: isPaused || !isAtTop || open !== undefined || currentId !== undefined,
    setTab,
    openMatch,
    close,
    togglePause,
    showNewest,
    run: (shortcut: Exclude<Shortcut, 'search'>) => does[shortcut](),
  };
}

/** A reader who has scrolled down is reading there, so new matches must not push the list. */
function useIsAtTop(): boolean {
  const [isAtTop, setAtTop] = useState(true);
  useEffect(() => {
    const look = () => setAtTop(window.scrollY < 80);
    look();
    window.addEventListener('scroll', look, { passive: true });
    return () => window.removeEventListener('scroll', look);
  }, []);
  return isAtTop;
}
