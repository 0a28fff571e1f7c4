/** One thing that can be watched at an address: what it is, what it brings, and the ways to watch it. */
import { useState } from 'react';
import type { SourceCandidate } from '../data/queries.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/classes.ts';
import { Field } from '../ui/field.tsx';
import { Input } from '../ui/input.tsx';
import { EventLines } from './event-lines.tsx';
import { KIND_WORDS, rateWords } from './source-words.ts';

/** A source to watch: a candidate as its reader wants it, and the words that a rule looks for; none for anything. */
export interface Wish {
  readonly candidate: SourceCandidate;
  readonly words: string;
}

interface CandidateItemProps {
  readonly candidate: SourceCandidate;
  readonly isFirst: boolean;
  readonly busy: boolean;
  onAdd(candidate: SourceCandidate): void;
  onWatch(wish: Wish): void;
}

export function CandidateItem({ candidate, isFirst, busy, onAdd, onWatch }: CandidateItemProps) {
  const [words, setWords] = useState('');
  const [part, setPart] = useState<string>();
  const { kind, name, about, samples, rate_per_day: rate, problem, can_add: canAdd, parts = [] } = candidate;
  const chosen = part === undefined ? candidate : { ...candidate, options: { ...candidate.options, select: part } };
  const obstacle = canAdd ? undefined : 'The operator of this server does not let accounts add this kind.';
  return (
    <li className={cx('grid gap-3 rounded-md border p-3', isFirst && 'border-accent')}>
      <div>
        <div className="flex flex-wrap items-center gap-2">
          <h3 className="min-w-0 font-medium break-words">{name}</h3>
          <Badge tone={isFirst ? 'accent' : 'neutral'}>{KIND_WORDS[kind] ?? kind}</Badge>
          {rate !== null && <span className="text-xs text-soft">{rateWords(rate)}</span>}
        </div>
        <p className="text-soft">{about}.</p>
        {problem !== null && <p className="text-xs text-warn">{problem}</p>}
      </div>
      <EventLines label={`Newest of ${name}`} events={samples} />
      {kind === 'watch' && parts.length > 0 && <Parts parts={parts} chosen={part} onChoose={setPart} />}
      <div className="flex flex-wrap items-end gap-2">
        <div className="min-w-0 flex-1 basis-56">
          <Field label="Only when it says (empty: anything new)">
            {(control) => <Input {...control} value={words} onChange={({ target }) => setWords(target.value)} />}
          </Field>
        </div>
        <Button
          look={isFirst ? 'primary' : 'plain'}
          busy={busy}
          obstacle={obstacle}
          onClick={() => onWatch({ candidate: chosen, words })}
        >
          Watch this
        </Button>
        <Button look="quiet" busy={busy} obstacle={obstacle} onClick={() => onAdd(chosen)}>
          Add without a rule
        </Button>
      </div>
    </li>
  );
}

interface PartsProps {
  readonly parts: NonNullable<SourceCandidate['parts']>;
  readonly chosen: string | undefined;
  onChoose(selector: string | undefined): void;
}

/** The page as plain text: a click chooses the part that is watched. */
function Parts({ parts, chosen, onChoose }: PartsProps) {
  return (
    <details className="rounded-md border">
      <summary className="cursor-pointer px-3 py-1.5 text-sm font-medium">
        {chosen === undefined ? 'Choose a part of the page' : 'A part of the page is chosen'}
      </summary>
      <ul aria-label="Parts of the page" className="max-h-64 overflow-y-auto border-t p-1">
        {parts.map(({ selector, text }) => (
          <li key={selector}>
            <button
              type="button"
              aria-pressed={chosen === selector}
              title={selector}
              onClick={() => onChoose(chosen === selector ? undefined : selector)}
              className="block w-full rounded-sm px-2 py-1 text-left break-words hover:bg-hover aria-pressed:bg-accent-soft aria-pressed:text-accent"
            >
              {text}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
