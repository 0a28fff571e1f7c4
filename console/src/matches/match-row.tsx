/** One post or page in the feed, with the rules that matched it. Its height is known before it is drawn. */
import { memo } from 'react';
import type { Match } from '../data/queries.ts';
import { EventExcerpt } from '../event/event-body.tsx';
import { readEvent } from '../event/reading.ts';
import { cx } from '../ui/classes.ts';
import type { Density } from './density.ts';
import type { Act } from './match-dialogs.tsx';
import { RowActions } from './row-actions.tsx';
import { RowFace } from './row-face.tsx';
import { ROW_PADDING } from './row-height.ts';

export interface MatchRowProps {
  readonly height: number;
  readonly isNarrow: boolean;
  readonly density: Density;
  readonly match: Match;
  /** The names of the rules that matched the event. */
  readonly rules: string;
  /** Whether it says which rules they were. */
  readonly hasRules: boolean;
  /** Marked in the text beside what matched. */
  readonly searched?: string | undefined;
  readonly isCurrent: boolean;
  readonly isOpen: boolean;
  onOpen(match: Match): void;
  onAct(act: Act, match: Match): void;
}

export const MatchRow = memo(function MatchRow(props: MatchRowProps) {
  const { height, isNarrow, density, match, rules, hasRules, searched, isCurrent, isOpen, onOpen, onAct } = props;
  const event = readEvent(match.platform, match.payload, match.highlights, match.demo);
  const names = rules.split('\n');
  return (
    <div
      style={{ height }}
      className={cx(
        'group @container relative contain-strict overflow-hidden border-b px-3',
        ROW_PADDING[density],
        isOpen ? 'bg-accent-soft' : 'hover:bg-hover',
      )}
    >
      <RowFace match={match} event={event} at={match.created_at} density={density} rules={hasRules ? names : []}>
        <EventExcerpt event={event} searched={searched} isOneLine={density !== 'comfortable'} isNarrow={isNarrow} />
      </RowFace>
      <button
        type="button"
        data-match={match.id}
        tabIndex={isCurrent ? 0 : -1}
        aria-label={`Open the match of ${names.join(', ')}`}
        aria-current={isOpen || undefined}
        onClick={() => onOpen(match)}
        className="absolute inset-0 scroll-mt-20 scroll-mb-4 outline-offset-[-2px]"
      />
      <RowActions match={match} isCurrent={isCurrent} onAct={onAct} />
    </div>
  );
});
