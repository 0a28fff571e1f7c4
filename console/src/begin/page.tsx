/** A new rule begins with what its reader has: a sentence, examples, an address, or the rule's own language. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { LimitNotice } from '../rules/limit-notice.tsx';
import { AddSource } from '../sources/add-source.tsx';
import { Page } from '../ui/page.tsx';
import { Segments } from '../ui/segments.tsx';
import { DraftedRule } from './drafted-rule.tsx';
import { FromExamples } from './from-examples.tsx';
import { Question } from './question.tsx';

const WAYS = [
  { name: 'sentence', label: 'A sentence' },
  { name: 'examples', label: 'Examples' },
  { name: 'address', label: 'An address' },
  { name: 'text', label: 'Rule language' },
] as const;

export function BeginPage() {
  const { about, from, url } = useSearch({ from: '/inside/rules/new' });
  const navigate = useNavigate();
  const way = WAYS.find(({ name }) => name === from)?.name ?? 'sentence';
  return (
    <Page
      title="New rule"
      actions={
        <Segments
          label="Begin with"
          value={way}
          options={WAYS}
          onChange={(name) =>
            void (name === 'text'
              ? navigate({ to: '/rules/write', search: {} })
              : navigate({ to: '/rules/new', search: name === 'sentence' ? {} : { from: name } }))
          }
        />
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <LimitNotice />
        {way === 'address' && <AddSource key={url} start={url} />}
        {way === 'examples' && <FromExamples />}
        {way === 'sentence' && (
          <>
            <Question key={about} about={about} isFocused={about === undefined} isAmongWays />
            {about !== undefined && <DraftedRule key={about} about={about} />}
          </>
        )}
      </div>
    </Page>
  );
}
