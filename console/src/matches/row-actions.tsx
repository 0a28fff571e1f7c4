/**
 * The actions on a match that is not open. They show under the pointer and in the row that the keyboard is in; a finger
 * has neither, so there they stand at the foot of each row.
 */
import { BellOff, FilterX, ThumbsDown, ThumbsUp } from 'lucide-react';
import type { Match } from '../data/queries.ts';
import { IconButton } from '../ui/button.tsx';
import type { Act } from './match-dialogs.tsx';
import { ratingOf, useRate, useRatings } from './rating.tsx';

export interface RowActionsProps {
  readonly match: Match;
  /** Whether the tabulator goes to them: in one row of the list only. */
  readonly isCurrent: boolean;
  onAct(act: Act, match: Match): void;
}

const ICON = 'size-3.5 pointer-coarse:size-4';
const PLACE =
  'absolute top-1 right-1.5 z-20 flex rounded-md border bg-surface opacity-0 group-hover:opacity-100 group-has-focus-visible:opacity-100 ' +
  'pointer-coarse:top-auto pointer-coarse:bottom-2 pointer-coarse:border-transparent pointer-coarse:bg-transparent pointer-coarse:opacity-100';
const BUTTON = 'pointer-coarse:size-8';

export function RowActions({ match, isCurrent, onAct }: RowActionsProps) {
  const rating = ratingOf(match, useRatings());
  const rate = useRate();
  const button = { size: 'small', tabIndex: isCurrent ? 0 : -1 } as const;
  const rated = (name: 'relevant' | 'irrelevant', words: string) => ({
    label: `${words} match of ${match.rule_name}`,
    'aria-pressed': rating === name,
    onClick: () => rate(match, rating === name ? null : name),
  });
  return (
    <div className={PLACE}>
      <IconButton {...button} {...rated('relevant', 'Good')} className={`${BUTTON} aria-pressed:text-ok`}>
        <ThumbsUp aria-hidden className={ICON} />
      </IconButton>
      <IconButton {...button} {...rated('irrelevant', 'Bad')} className={`${BUTTON} aria-pressed:text-bad`}>
        <ThumbsDown aria-hidden className={ICON} />
      </IconButton>
      <IconButton
        {...button}
        className={BUTTON}
        label={`Keep what is like this out of ${match.rule_name}`}
        onClick={() => onAct('exclude', match)}
      >
        <FilterX aria-hidden className={ICON} />
      </IconButton>
      <IconButton
        {...button}
        // A phone has room for three; the open match has this one, too.
        className="pointer-coarse:hidden"
        label={`Mute … ${match.rule_name}`}
        onClick={() => onAct('silence', match)}
      >
        <BellOff aria-hidden className={ICON} />
      </IconButton>
    </div>
  );
}
