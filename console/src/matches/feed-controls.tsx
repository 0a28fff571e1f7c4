/** The state of the feed, and the button that pauses it. */
import { Keyboard, Pause, Play } from 'lucide-react';
import { useState } from 'react';
import type { FeedView } from '../data/feed.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { REASONS, reasonWords, worstOf } from '../words/coverage.ts';
import type { Shown } from '../words/shown.ts';
import { SHORTCUTS } from './shortcuts.ts';

const STATES: Record<FeedView['state'], { words: string; tone: Tone }> = {
  loading: { words: 'Loading', tone: 'neutral' },
  live: { words: 'Live', tone: 'ok' },
  reconnecting: { words: 'Reconnecting', tone: 'warn' },
  still: { words: 'Not live', tone: 'neutral' },
  failed: { words: 'Stopped', tone: 'bad' },
};

/**
 * The connection to this page may be live while nothing reaches the server. Then the worst reason is the state. One paused rule
 * among others does not stop the feed, and a paused rule is not a feed that its reader has paused.
 */
function stateOfFeed({ state, reasons }: FeedView): Pick<Shown, 'words' | 'tone'> {
  if (state !== 'live') return STATES[state];
  const isOfFeed = (reason: string) => reason !== 'not_started' && !/^(gap$|(gap|paused):rule_)/.test(reason);
  const worst = worstOf(reasons.filter(isOfFeed)) ?? STATES.live;
  return worst === REASONS.paused ? { ...worst, words: 'Rule paused' } : worst;
}

export interface FeedControlsProps {
  readonly view: FeedView;
  readonly isPaused: boolean;
  /** Those that work on the page. */
  readonly shortcuts?: typeof SHORTCUTS;
  onPause(): void;
}

export function FeedControls({ view, isPaused, shortcuts = SHORTCUTS, onPause }: FeedControlsProps) {
  const { words, tone } = isPaused ? { words: 'Paused', tone: 'warn' as const } : stateOfFeed(view);
  const Icon = isPaused ? Play : Pause;
  return (
    <>
      <span role="status">
        <Badge tone={tone} dot title={view.reasons.map((reason) => reasonWords(reason)).join(' ')}>
          {words}
        </Badge>
      </span>
      <Button
        className="max-sm:px-2"
        icon={<Icon aria-hidden className="size-3.5" />}
        disabled={view.state === 'still' || view.state === 'failed'}
        onClick={onPause}
      >
        <span className="max-sm:sr-only">{isPaused ? 'Resume' : 'Pause'}</span>{' '}
        <span className="max-lg:sr-only">feed</span>
      </Button>
      <ShortcutHelp shortcuts={shortcuts} />
    </>
  );
}

function ShortcutHelp({ shortcuts }: { shortcuts: typeof SHORTCUTS }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      {/* Phones have no keyboard. */}
      <IconButton label="Keyboard shortcuts" className="max-sm:hidden" onClick={() => setOpen(true)}>
        <Keyboard aria-hidden className="size-4" />
      </IconButton>
      <Dialog open={open} title="Keyboard shortcuts" onClose={() => setOpen(false)}>
        <dl className="grid grid-cols-[6rem_1fr] gap-y-2">
          {shortcuts.map(({ keys, does }) => (
            <div key={does} className="contents">
              <dt className="flex gap-1">
                {keys.map((key) => (
                  <Kbd key={key}>{key}</Kbd>
                ))}
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
      </Dialog>
    </>
  );
}
