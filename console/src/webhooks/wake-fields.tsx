/** When a webhook wakes its receiver. What does not wake is kept for the next summary; no match is lost. */
import type { ReactNode } from 'react';
import type { Webhook } from '../data/queries.ts';
import { Field } from '../ui/field.tsx';
import { Select } from '../ui/input.tsx';
import { OptionFold } from '../ui/option-fold.tsx';
import { WakeOverTime } from './wake-over-time.tsx';
import { WakeRehearsal } from './wake-rehearsal.tsx';
import { EVERY_MATCH, type Wake, type WakeChange, withWakeTerms } from './wake-terms.ts';

interface WakeUnitProps {
  readonly wake: Webhook['wake'];
  readonly error: string | undefined;
  onChange(wake: Webhook['wake']): void;
}

export interface WakeFieldsProps extends Omit<WakeUnitProps, 'error'> {
  /** The rules whose matches they are about, or null for all rules. */
  readonly ruleIds: readonly string[] | null;
  /** The platforms, and the choice of them. */
  readonly platforms: Webhook['platforms'];
  readonly children: ReactNode;
}

const LIMITS = ['5/hour', '20/hour', '100/hour', '5/day', '20/day'];
const LEAST = [0.3, 0.5, 0.7, 0.9];

/** Whether each match is sent or each story once: the one term that most receivers want to choose. */
export function WakeUnit({ wake, error, onChange }: WakeUnitProps) {
  return (
    <Field label="Send" error={error}>
      {(control) => (
        <Select
          {...control}
          value={wake?.per ?? 'match'}
          onChange={({ target }) => onChange(withWakeTerms(wake, { per: target.value as Wake['per'] }))}
        >
          <option value="match">Every match</option>
          <option value="story">Each story once</option>
        </Select>
      )}
    </Field>
  );
}

/** A program may have chosen a value that the list does not have. */
const withOwn = <Value,>(listed: readonly Value[], own: Value | null): readonly Value[] =>
  own === null || listed.includes(own) ? listed : [...listed, own];

export function WakeFields({ wake, ruleIds, platforms, children, onChange }: WakeFieldsProps) {
  const held = wake ?? EVERY_MATCH;
  const change = (part: WakeChange) => onChange(withWakeTerms(wake, part));
  const isChosen = held.at_most !== null || held.min_relevance !== null || platforms !== null;
  return (
    <>
      <OptionFold title="Only some matches" {...(!isChosen && { says: 'All are sent' })} isOpen={isChosen}>
        {children}
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="At most">
            {(control) => (
              <Select
                {...control}
                value={held.at_most ?? ''}
                onChange={({ target }) => change({ at_most: target.value || null })}
              >
                <option value="">no limit</option>
                {withOwn(LIMITS, held.at_most).map((limit) => (
                  <option key={limit} value={limit}>
                    {limit.replace('/', ' in an ').replace('an day', 'a day')}
                  </option>
                ))}
              </Select>
            )}
          </Field>
          <Field label="Relevance">
            {(control) => (
              <Select
                {...control}
                value={held.min_relevance ?? ''}
                onChange={({ target }) => change({ min_relevance: target.value === '' ? null : Number(target.value) })}
              >
                <option value="">any</option>
                {withOwn(LEAST, held.min_relevance).map((least) => (
                  <option key={least} value={least}>
                    {Math.round(least * 100)} % or more
                  </option>
                ))}
              </Select>
            )}
          </Field>
          <p className="-mt-2 text-xs text-faint sm:col-span-2">
            What is not sent at once comes in the next summary. No match is lost.
          </p>
        </div>
      </OptionFold>
      <WakeOverTime wake={held} onChange={change} />
      {wake !== null && <WakeRehearsal wake={held} ruleIds={ruleIds} />}
    </>
  );
}
