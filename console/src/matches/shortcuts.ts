/** What the keyboard does on this page, for those who read a lot. */
import { useEffect, useRef } from 'react';

export const SHORTCUTS = [
  { keys: ['j', 'k'], does: 'the next, the one before' },
  { keys: ['Enter'], does: 'open it' },
  { keys: ['e'], does: 'why it matched' },
  { keys: ['r'], does: 'its payload' },
  { keys: ['o'], does: 'the post or page itself' },
  { keys: ['p'], does: 'pause, go on' },
  { keys: ['g'], does: 'to the newest' },
  { keys: ['/'], does: 'look for text' },
  { keys: ['Esc'], does: 'close' },
] as const;

export type Shortcut =
  | 'next'
  | 'previous'
  | 'open'
  | 'why'
  | 'payload'
  | 'visit'
  | 'pause'
  | 'newest'
  | 'search'
  | 'close';

const KEYS: Readonly<Record<string, Shortcut>> = {
  j: 'next',
  ArrowDown: 'next',
  k: 'previous',
  ArrowUp: 'previous',
  Enter: 'open',
  e: 'why',
  r: 'payload',
  o: 'visit',
  p: 'pause',
  g: 'newest',
  '/': 'search',
  Escape: 'close',
};

export function useShortcuts(run: (shortcut: Shortcut) => void): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const shortcut = KEYS[event.key];
      if (shortcut === undefined || isTaken(event, shortcut)) return;
      event.preventDefault();
      latest.current(shortcut);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

/** Whoever types, is in a dialog, or means something else with the same key keeps it. */
function isTaken({ target, ctrlKey, metaKey, altKey, defaultPrevented }: KeyboardEvent, shortcut: Shortcut): boolean {
  if (ctrlKey || metaKey || altKey || defaultPrevented || !(target instanceof Element)) return true;
  if (target.closest('input, textarea, select, [contenteditable], [role="dialog"], [role="listbox"], [role="tablist"]'))
    return true;
  // A button or a link does what it does.
  return shortcut === 'open' && target.closest('button, a') !== null;
}
