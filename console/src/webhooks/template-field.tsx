/** How a message is written: a template, and beside it what it makes of the newest match. */
import { useQuery } from '@tanstack/react-query';
import { type Input, SluiceError } from '../../../packages/client/src/index.ts';
import { client } from '../data/client.ts';
import { issueAt } from '../data/problems.ts';
import type { Webhook } from '../data/queries.ts';
import { useSettled } from '../rules/use-settled.ts';
import { Field } from '../ui/field.tsx';
import { TextArea } from '../ui/input.tsx';
import { OptionFold } from '../ui/option-fold.tsx';
import { isWritten } from './receivers.ts';

type Format = Input<'previewMessage'>['format'];

interface TemplateFieldProps {
  readonly format: Webhook['format'];
  /** Empty: the usual message. */
  readonly value: string;
  readonly error: string | undefined;
  onChange(value: string): void;
}

const wordsOf = (refused: Error): string =>
  (refused instanceof SluiceError ? issueAt(refused, 'template') : undefined) ?? refused.message;

/** Nothing where the format is for programs. */
export function TemplateField({ format, value, error, onChange }: TemplateFieldProps) {
  const template = useSettled(value);
  const { data, error: refused } = useQuery({
    queryKey: ['message-preview', format, template],
    queryFn: ({ signal }) => client.webhooks.preview({ format: format as Format, template }, { signal }),
    enabled: isWritten(format) && template !== '',
    retry: false,
  });
  if (!isWritten(format)) return null;
  return (
    <OptionFold title="Write the message yourself" isOpen={value !== ''}>
      <Field
        label="Message"
        hint="Fields stand in double braces: rule, text, author, site, url, time. Empty: the usual message."
        error={error ?? (refused === null ? undefined : wordsOf(refused))}
      >
        {(control) => (
          <TextArea
            {...control}
            rows={3}
            maxLength={4_000}
            spellCheck={false}
            className="font-mono text-xs"
            placeholder="{{ rule }}: {{ text }} {{ url }}"
            value={value}
            onChange={({ target }) => onChange(target.value)}
          />
        )}
      </Field>
      {data !== undefined && template !== '' && (
        <section aria-label="Preview of the message" className="grid gap-1 rounded-md bg-sunken px-3 py-2.5">
          <p className="text-xs text-soft">
            {data.sample ? 'Of an invented match, because there is none yet:' : 'Of the newest match:'}
          </p>
          <p dir="auto" className="text-sm break-words whitespace-pre-wrap">
            {data.text}
          </p>
        </section>
      )}
    </OptionFold>
  );
}
