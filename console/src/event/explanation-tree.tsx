/** A rule's tree applied to one event: each part, whether it is true, and the text that made it true. */
import { Check, X } from 'lucide-react';
import type { Explanation, Match } from '../data/queries.ts';
import { cx } from '../ui/classes.ts';
import { partWords } from './part-words.ts';
import { valueAt } from './reading.ts';

export type ExplainedPart = Explanation['explanation'];

export interface ExplanationTreeProps {
  readonly part: ExplainedPart;
  readonly payload: Match['payload'];
}

interface BranchProps extends ExplanationTreeProps {
  /** Below a `not`, whatever is false is as it should be. */
  readonly wanted: boolean;
  /** What it is a part of is as it should be already: one of several is enough. */
  readonly isExcused: boolean;
}

export function ExplanationTree({ part, payload }: ExplanationTreeProps) {
  return (
    <ul className="text-sm">
      <Branch part={part} payload={payload} wanted isExcused={false} />
    </ul>
  );
}

function Branch({ part, payload, wanted, isExcused }: BranchProps) {
  const Icon = part.holds ? Check : X;
  const isFine = isExcused || part.holds === wanted;
  const words = partWords(part.label);
  // A code that words stand for needs no mark beside them.
  const found = words === undefined ? wordsFound(part, payload) : [];
  return (
    <li>
      <div className="flex items-start gap-2 py-0.5">
        <Icon
          role="img"
          aria-label={part.holds ? 'true' : 'false'}
          className={cx('mt-0.5 size-4 shrink-0', toneOf(part.holds, isFine))}
        />
        <span className="min-w-0">
          <span className={cx('font-mono text-xs leading-5 break-words', !part.holds && 'text-soft')}>
            {words ?? part.label}
          </span>
          {found.map((word) => (
            <mark key={word} className="ml-1.5 inline-block max-w-full truncate align-bottom text-xs leading-5">
              {word}
            </mark>
          ))}
          {part.near && (
            <span className="ml-1.5 text-xs text-faint break-words">the event has {part.near.join(', ')}</span>
          )}
        </span>
      </div>
      {part.of.length > 0 && (
        <ul className="ml-2 border-l pl-3.5">
          {placed(part.of).map(({ place, inside }) => (
            <Branch
              key={place}
              part={inside}
              payload={payload}
              wanted={part.label === 'not' ? !wanted : wanted}
              isExcused={isFine}
            />
          ))}
        </ul>
      )}
    </li>
  );
}

/** Red is only what keeps the rule from matching. */
const toneOf = (holds: boolean, isFine: boolean): string => {
  if (!isFine) return 'text-bad';
  return holds ? 'text-ok' : 'text-faint';
};

/** Parts have no ids and may repeat. Their order never changes, so the position can be the key. */
const placed = (parts: readonly ExplainedPart[]) => parts.map((inside, place) => ({ place, inside }));

const MOST_SHOWN = 5;

/** The passages that made the part true, without duplicates. */
function wordsFound({ highlights }: ExplainedPart, payload: Match['payload']): string[] {
  const words = highlights.map(({ field, start, end }) => {
    const value = valueAt(payload, field);
    return typeof value === 'string' ? value.slice(start, end) : '';
  });
  return [...new Set(words)].filter((word) => word !== '').slice(0, MOST_SHOWN);
}
