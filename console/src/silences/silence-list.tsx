/** The silences that hold: what they cover, why, who made them and until when, with a button that ends one early. */
import { BellOff } from 'lucide-react';
import { useState } from 'react';
import { useChange } from '../data/change.ts';
import { client } from '../data/client.ts';
import { type Rule, type Silence, useReadOnly, useRules, useSilences, useSources } from '../data/queries.ts';
import { ChangeWho } from '../settings/change-words.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';
import { SilenceDialog, type Silenced } from './silence-dialog.tsx';
import { coveredWords } from './silence-words.ts';

/** Rules that the dialog offers; others are muted on their own page. */
const MOST_RULES = 8;

export function SilenceList() {
  const { data: silences, error, refetch } = useSilences();
  const { data: rules = [], isPending: areRulesLoading } = useRules();
  /** As they were when the dialog opened: the list of rules moves. */
  const [choices, setChoices] = useState<readonly Silenced[]>();
  const isReadOnly = useReadOnly();
  return (
    <Card
      title="Muted"
      flush
      aside={
        <Button
          size="small"
          obstacle={
            isReadOnly ? 'Your key is read only.' : areRulesLoading ? 'The rules are still loading.' : undefined
          }
          onClick={() => setChoices(choicesOf(rules))}
        >
          Mute something
        </Button>
      }
    >
      {error !== null && silences === undefined ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : silences === undefined ? (
        <SkeletonRows rows={2} />
      ) : silences.length === 0 ? (
        <EmptyState icon={<BellOff aria-hidden className="size-5" />} title="Nothing is muted">
          Every match goes where it should. A row of Matches, or the menu of a rule, mutes it for an hour or until
          tomorrow.
        </EmptyState>
      ) : (
        <ul className="divide-y">
          {silences.map((silence) => (
            <SilenceItem key={silence.silence_id} silence={silence} rules={rules} isReadOnly={isReadOnly} />
          ))}
        </ul>
      )}
      {choices !== undefined && <SilenceDialog choices={choices} onClose={() => setChoices(undefined)} />}
    </Card>
  );
}

const choicesOf = (rules: readonly Rule[]): Silenced[] => [
  { label: 'Everything', terms: {} },
  ...rules.slice(0, MOST_RULES).map(({ id, name }) => ({ label: `Rule “${name}”`, terms: { rule_ids: [id] } })),
];

interface SilenceItemProps {
  readonly silence: Silence;
  readonly rules: readonly Rule[];
  readonly isReadOnly: boolean;
}

function SilenceItem({ silence, rules, isReadOnly }: SilenceItemProps) {
  const end = useChange(client.silences.end, ['silences', 'changes']);
  const { data: sources = [] } = useSources();
  const names = new Map([...rules, ...sources].map(({ id, name }) => [id, name]));
  const covered = coveredWords(silence, names);
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-3 py-2.5">
      <BellOff aria-hidden className="size-4 shrink-0 text-faint" />
      <div className="min-w-0 flex-1 basis-60">
        <p className="font-medium break-words">{covered}</p>
        <p className="text-xs break-words text-soft">
          {silence.reason} Set <Time at={silence.created_at} /> <ChangeWho change={silence} />.
        </p>
      </div>
      <span className="text-xs whitespace-nowrap text-soft">
        ends <Time at={silence.until} ahead />
      </span>
      <Button
        size="small"
        busy={end.isPending}
        obstacle={isReadOnly ? 'Your key is read only.' : undefined}
        aria-label={`End now: ${covered}`}
        onClick={() =>
          end.mutate(
            { silence_id: silence.silence_id },
            {
              onSuccess: () => toast('It is no longer muted. Held matches are sent now.'),
              onError: (error) => toast(error.message, 'bad'),
            },
          )
        }
      >
        End now
      </Button>
    </li>
  );
}
