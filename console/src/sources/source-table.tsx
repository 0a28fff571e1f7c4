/** The sources: how each does, when it was last read, and what it brought. */
import { Link } from '@tanstack/react-router';
import type { ListedSource } from '../data/queries.ts';
import { Badge } from '../ui/badge.tsx';
import { cx } from '../ui/classes.ts';
import { Table, Td, Th } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { VISITED_STATES } from '../words/visited.ts';
import { SourceActions } from './source-actions.tsx';
import { addressOf, KIND_WORDS, rateWords } from './source-words.ts';

/** Columns that narrow screens leave out. */
const ROOMY = 'hidden lg:table-cell';

export function SourceTable({ sources, readOnly }: { sources: readonly ListedSource[]; readOnly: boolean }) {
  return (
    <Table label="Sources">
      <thead>
        <tr>
          <Th>Source</Th>
          <Th>State</Th>
          <Th className={ROOMY}>Last good</Th>
          <Th className={ROOMY}>Next visit</Th>
          <Th className="hidden sm:table-cell">Events</Th>
          <Th>
            <span className="sr-only">Actions</span>
          </Th>
        </tr>
      </thead>
      <tbody>
        {sources.map((source) => (
          <SourceRow key={source.id} source={source} readOnly={readOnly} />
        ))}
      </tbody>
    </Table>
  );
}

function SourceRow({ source, readOnly }: { source: ListedSource; readOnly: boolean }) {
  const { words, tone, about } = VISITED_STATES[source.status];
  const { last_error: error } = source;
  return (
    <tr className="last:[&>td]:border-0">
      <Td className="max-w-40 sm:max-w-80">
        <span className="block truncate font-medium">{source.name}</span>
        <span className="block truncate text-xs text-faint">
          {KIND_WORDS[source.kind] ?? source.kind}
          {source.owner === 'operator' && ', of the operator'} · {addressOf(source)}
        </span>
      </Td>
      <Td className="max-w-32 sm:max-w-64">
        <Badge tone={tone} dot title={about}>
          {words}
        </Badge>
        {tone !== 'ok' && <span className="mt-0.5 block text-xs break-words text-soft">{error?.message ?? about}</span>}
      </Td>
      <Td className={cx(ROOMY, 'tabular whitespace-nowrap text-soft')}>
        {source.last_good_at === null ? '–' : <Time at={source.last_good_at} />}
      </Td>
      <Td className={cx(ROOMY, 'tabular whitespace-nowrap text-soft')}>
        {source.next_at === null ? '–' : <Time at={source.next_at} ahead />}
      </Td>
      <Td className="tabular hidden whitespace-nowrap sm:table-cell">
        <Link
          to="/matches/{-$matchId}"
          params={{}}
          search={{ source: source.id }}
          className="text-accent hover:text-accent-strong"
        >
          {source.events.toLocaleString('en')}
          <span className="sr-only"> events of {source.name}: what they matched</span>
        </Link>
        {source.rate !== null && source.rate > 0 && (
          <span className="block text-xs text-faint">{rateWords(source.rate)}</span>
        )}
      </Td>
      <Td className="w-10">{source.owner === 'account' && !readOnly && <SourceActions source={source} />}</Td>
    </tr>
  );
}
