/** The reader's place: the match that the keyboard has selected, and whether the feed may move. The open match and its tab are in the address. */
import { useCallback, useEffect, useState } from 'react';
import type { Match } from '../data/queries.ts';
import { readEvent } from '../event/reading.ts';
import { type EventRow, rowOf } from './by-event.ts';
import type { DetailTab } from './detail.tsx';
import type { Shortcut } from './shortcuts.ts';

export interface ReadingDeps {
  readonly rows: readonly EventRow[];
  /** The open match, if it is loaded. */
  readonly open: Match | undefined;
  readonly isOpen: boolean;
  /** Without a tab it stays as it is. */
  onOpen(match: Match | undefined, tab?: DetailTab): void;
  release(): void;
}

/** Shortcuts that act on the reader's place. The page handles the others. */
const OF_THE_PAGE = ['search', 'relevant', 'irrelevant', 'exclude', 'silence', 'story'] as const;
export type ReadingShortcut = Exclude<Shortcut, (typeof OF_THE_PAGE)[number]>;

export const isReadingShortcut = (shortcut: Shortcut): shortcut is ReadingShortcut =>
  !OF_THE_PAGE.some((name) => name === shortcut);

export function useReading({ rows, open, isOpen, onOpen, release }: ReadingDeps) {
  const [currentId, setCurrentId] = useState<string>();
  const [isPaused, setPaused] = useState(false);
  const isAtTop = useIsAtTop();

  const openMatch = useCallback(
    (match: Match, tab?: DetailTab) => {
      setCurrentId(match.id);
      onOpen(match, tab);
    },
    [onOpen],
  );
  const close = useCallback(() => {
    setCurrentId(undefined);
    onOpen(undefined);
  }, [onOpen]);
  const togglePause = useCallback(() => setPaused((last) => !last), []);
  const showNewest = useCallback(() => {
    setCurrentId(undefined);
    setPaused(false);
    onOpen(undefined);
    release();
    window.scrollTo({ top: 0 });
  }, [release, onOpen]);

  function move(by: number): void {
    const at = rowOf(rows, currentId ?? open?.id);
    const match = rows[Math.max(0, Math.min(at + by, rows.length - 1))]?.lead;
    if (match === undefined) return;
    setCurrentId(match.id);
    if (isOpen) onOpen(match);
  }

  const current = (): Match | undefined => open ?? rows[rowOf(rows, currentId)]?.lead;

  function show(tab: DetailTab): void {
    const match = rows[rowOf(rows, currentId)]?.lead ?? open ?? rows[0]?.lead;
    if (match !== undefined) openMatch(match, tab);
  }

  function visit(): void {
    const match = current();
    const link = match && readEvent(match.platform, match.payload, [], match.demo).link;
    if (link !== undefined) window.open(link, '_blank', 'noopener,noreferrer');
  }

  const does: Record<ReadingShortcut, () => void> = {
    next: () => move(1),
    previous: () => move(-1),
    open: () => show('event'),
    why: () => show('why'),
    payload: () => show('payload'),
    visit,
    pause: togglePause,
    newest: showNewest,
    // The first Escape closes the match and keeps the selection. The second clears it, and the feed resumes.
    close: isOpen ? () => onOpen(undefined) : close,
  };
  return {
    currentId,
    current,
    isPaused,
    isHeld: isPaused || !isAtTop || isOpen || currentId !== undefined,
    openMatch,
    close,
    togglePause,
    showNewest,
    run: (shortcut: ReadingShortcut) => does[shortcut](),
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
