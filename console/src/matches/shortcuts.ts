/** The keyboard shortcuts of the page. */
import { useEffect, useRef } from 'react';

interface Help {
  readonly keys: readonly string[];
  readonly does: string;
}

const SEARCH: Help = { keys: ['/'], does: 'Search text' };

export const SHORTCUTS: readonly Help[] = [
  { keys: ['j', 'k'], does: 'Next match, previous match' },
  { keys: ['Enter'], does: 'Open the match' },
  { keys: ['e'], does: 'Show why it matched' },
  { keys: ['r'], does: 'Show the payload' },
  { keys: ['y', 'n'], does: 'Rate it: relevant, not relevant' },
  { keys: ['x'], does: 'Exclude its like from the rule' },
  { keys: ['m'], does: 'Mute its story, its author or its rule' },
  { keys: ['s'], does: 'Show the other matches of the story' },
  { keys: ['o'], does: 'Open the post or page in a new tab' },
  { keys: ['p'], does: 'Pause or resume' },
  { keys: ['g'], does: 'Go to the newest match' },
  SEARCH,
  { keys: ['Esc'], does: 'Close' },
];

/** On the page of a rule there is no field to search in. */
export const OF_A_RULE = SHORTCUTS.filter((one) => one !== SEARCH);

export type Shortcut =
  | 'next'
  | 'previous'
  | 'open'
  | 'why'
  | 'payload'
  | 'relevant'
  | 'irrelevant'
  | 'exclude'
  | 'silence'
  | 'story'
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
  y: 'relevant',
  n: 'irrelevant',
  x: 'exclude',
  m: 'silence',
  s: 'story',
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

/** What uses letters itself, or is in front of the page that would act on them. */
const TAKERS = [
  'input, textarea, select, [contenteditable]',
  '[role="dialog"], [role="alertdialog"], [role="listbox"], [role="tablist"]',
].join();

/** Whether the key belongs to something else: a field, a dialog, a list, or a browser shortcut. */
function isTaken({ target, ctrlKey, metaKey, altKey, defaultPrevented }: KeyboardEvent, shortcut: Shortcut): boolean {
  if (ctrlKey || metaKey || altKey || defaultPrevented || !(target instanceof Element)) return true;
  if (target.closest(TAKERS) !== null) return true;
  // Enter on a button or a link activates it.
  return shortcut === 'open' && target.closest('button, a') !== null;
}
