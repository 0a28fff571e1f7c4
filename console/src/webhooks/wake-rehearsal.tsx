/** Shows what a wake contract would have made of the last week, before it is saved. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../data/client.ts';
import { useRules, type Webhook } from '../data/queries.ts';
import { Button } from '../ui/button.tsx';
import { counted, figure } from '../ui/moment.ts';
import { Time } from '../ui/time.tsx';
import { wakeObstacle } from './wake-terms.ts';

/** The server rehearses no more at once. */
const MOST_RULES = 100;
const SHOWN = 5;

interface WakeRehearsalProps {
  readonly wake: NonNullable<Webhook['wake']>;
  /** Null: all rules. */
  readonly ruleIds: readonly string[] | null;
}

export function WakeRehearsal({ wake, ruleIds }: WakeRehearsalProps) {
  const { data: rules = [] } = useRules();
  const all = ruleIds ?? rules.map(({ id }) => id);
  const rule_ids = all.slice(0, MOST_RULES);
  const input = { rule_ids, wake };
  const [asked, setAsked] = useState<typeof input>();
  // A contract that was changed since is another one: its rehearsal is asked for anew.
  const isCurrent = asked !== undefined && JSON.stringify(asked) === JSON.stringify(input);
  const { data, error, isFetching } = useQuery({
    queryKey: ['wake-rehearsal', asked],
    queryFn: ({ signal }) => client.webhooks.rehearse(asked!, { signal }),
    enabled: isCurrent,
    retry: false,
  });
  const obstacle = rule_ids.length === 0 ? 'There are no rules to try it with.' : wakeObstacle(wake);
  return (
    <section aria-label="Try it on the past" className="grid gap-2 rounded-md bg-sunken px-3 py-2.5">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="text-soft">
          What would this have done in the last week?
          {all.length > MOST_RULES && ` It is tried with the first ${MOST_RULES} of ${figure(all.length)} rules.`}
        </p>
        <Button size="small" busy={isCurrent && isFetching} obstacle={obstacle} onClick={() => setAsked(input)}>
          Try it
        </Button>
      </div>
      {isCurrent && error !== null && <p className="text-bad">{error.message}</p>}
      {isCurrent && data !== undefined && (
        <div role="status" className="grid gap-1">
          <p className="font-medium">
            {all.length > MOST_RULES && `Of the first ${MOST_RULES} of ${figure(all.length)} rules: `}
            {counted(data.matches, 'match', 'matches')}: it would have told you {counted(data.wake_count, 'time')} and
            kept {counted(data.held, 'match', 'matches')} for {counted(data.digest_count, 'summary', 'summaries')}.
          </p>
          {!data.complete && <p className="text-xs text-warn">There were more matches: the newest were looked at.</p>}
          <ul className="grid gap-0.5 text-xs">
            {data.wakes
              .slice(-SHOWN)
              .toReversed()
              .map(({ at, matches, because }) => (
                <li key={at}>
                  <Time at={at} className="text-faint" /> {counted(matches, 'match', 'matches')}: {because}
                </li>
              ))}
          </ul>
        </div>
      )}
    </section>
  );
}
