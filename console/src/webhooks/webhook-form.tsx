/** The form for a new webhook and for editing one. */
import { useState } from 'react';
import { issueAt } from '../data/problems.ts';
import type { Webhook } from '../data/queries.ts';
import { cx } from '../ui/classes.ts';
import { Field } from '../ui/field.tsx';
import { FormDialog, type FormDialogProps } from '../ui/form-dialog.tsx';
import { Input, Select } from '../ui/input.tsx';
import { OptionFold } from '../ui/option-fold.tsx';
import { FORMATS, WEBHOOK_EVENTS } from '../words/delivery.ts';
import { NoticeFields } from './notice-fields.tsx';
import { noticeObstacle } from './notice-terms.ts';
import type { Receiver } from './receivers.ts';
import { TemplateField } from './template-field.tsx';
import { WakeFields, WakeUnit } from './wake-fields.tsx';
import { wakeObstacle } from './wake-terms.ts';
import { WebhookAddress } from './webhook-address.tsx';
import { type Choice, choiceOf, choiceToSave } from './webhook-changes.ts';
import { Platforms, Rules } from './webhook-scope.tsx';

export interface WebhookFormProps extends Omit<FormDialogProps, 'onSubmit' | 'children'> {
  readonly webhook?: Webhook;
  /** The rules of a new webhook, chosen beforehand. */
  readonly ruleIds?: readonly string[];
  readonly receiver?: Receiver | undefined;
  onSubmit(choice: Choice): void;
}

const EVERY = { '1m': 'minute', '5m': '5 minutes', '15m': '15 minutes', '1h': 'hour', '6h': '6 hours', '1d': 'day' };

const EMPTY: Choice = {
  url: '',
  description: '',
  rule_ids: null,
  platforms: null,
  format: 'json',
  batch: null,
  wake: null,
  template: null,
  events: ['match'],
  notices: null,
};

export function WebhookForm({ webhook, ruleIds, receiver, onSubmit, ...dialog }: WebhookFormProps) {
  const { error = null } = dialog;
  const [choice, setChoice] = useState<Choice>(
    webhook !== undefined
      ? choiceOf(webhook)
      : {
          ...EMPTY,
          ...(receiver && { format: receiver.format, url: receiver.url, events: receiver.events ?? EMPTY.events }),
          rule_ids: ruleIds === undefined ? null : [...ruleIds],
        },
  );
  const change = (part: Partial<Choice>) => setChoice((last) => ({ ...last, ...part }));

  const obstacle = noticeObstacle(choice) ?? wakeObstacle(choice.wake);

  function submit() {
    if (obstacle === undefined) onSubmit(choiceToSave(choice));
  }

  const tellsOfMatches = choice.events.includes('match');
  const tellsOfAlerts = choice.events.includes('alert');
  const platforms = <Platforms chosen={choice.platforms} onChange={(names) => change({ platforms: names })} />;
  return (
    <FormDialog {...dialog} obstacle={dialog.obstacle ?? obstacle} onSubmit={submit}>
      <WebhookAddress choice={choice} webhook={webhook} error={error} onChange={change} />
      <Field label="Description" error={issueAt(error, 'description')}>
        {(control) => (
          <Input
            {...control}
            maxLength={500}
            value={choice.description}
            onChange={({ target }) => change({ description: target.value })}
          />
        )}
      </Field>
      {(tellsOfMatches || tellsOfAlerts) && (
        <Rules
          chosen={choice.rule_ids}
          error={issueAt(error, 'rule_ids')}
          onChange={(rule_ids) => change({ rule_ids })}
        />
      )}
      <div className={cx('grid gap-4', tellsOfMatches && 'sm:grid-cols-3')}>
        <Field label="Format" error={issueAt(error, 'format')}>
          {(control) => (
            <Select
              {...control}
              value={choice.format}
              onChange={({ target }) => change({ format: target.value as Choice['format'] })}
            >
              {Object.entries(FORMATS).map(([name, { words }]) => (
                <option key={name} value={name}>
                  {words}
                </option>
              ))}
            </Select>
          )}
        </Field>
        {tellsOfMatches && (
          <Field label="When" error={issueAt(error, 'batch')}>
            {(control) => (
              <Select
                {...control}
                value={choice.batch?.every ?? ''}
                onChange={({ target }) => change({ batch: target.value === '' ? null : { every: target.value } })}
              >
                <option value="">At once</option>
                {Object.entries(spansWith(choice.batch?.every)).map(([span, label]) => (
                  <option key={span} value={span}>
                    In batches, every {label}
                  </option>
                ))}
              </Select>
            )}
          </Field>
        )}
        {tellsOfMatches && (
          <WakeUnit wake={choice.wake} error={issueAt(error, 'wake')} onChange={(wake) => change({ wake })} />
        )}
      </div>
      <OptionFold
        title="Notifies of"
        says={choice.events.map((event) => WEBHOOK_EVENTS[event].words.toLowerCase()).join(', ')}
        isOpen={!isOfMatchesAlone(choice)}
      >
        <NoticeFields events={choice.events} notices={choice.notices} onChange={change} />
      </OptionFold>
      {tellsOfMatches && (
        <>
          <TemplateField
            format={choice.format}
            value={choice.template ?? ''}
            error={issueAt(error, 'template')}
            onChange={(text) => change({ template: text === '' ? null : text })}
          />
          <WakeFields
            wake={choice.wake}
            ruleIds={choice.rule_ids}
            platforms={choice.platforms}
            onChange={(wake) => change({ wake })}
          >
            {platforms}
          </WakeFields>
        </>
      )}
      {!tellsOfMatches && tellsOfAlerts && platforms}
    </FormDialog>
  );
}

/** What nearly every webhook is for. */
const isOfMatchesAlone = ({ events, notices }: Choice): boolean => events.join() === 'match' && notices === null;

/** A program may have chosen an interval that the list does not have. */
const spansWith = (every: string | undefined): Record<string, string> =>
  every === undefined || every in EVERY ? EVERY : { ...EVERY, [every]: every };
