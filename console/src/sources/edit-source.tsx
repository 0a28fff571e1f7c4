/** Changes a source: its name, how often it is visited, and of a page which part and when. */
import { useState } from 'react';
import { useChange } from '../data/change.ts';
import { client } from '../data/client.ts';
import { issueAt } from '../data/problems.ts';
import type { ListedSource } from '../data/queries.ts';
import { Field } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Input, TextArea } from '../ui/input.tsx';

interface When {
  readonly below?: number;
  readonly above?: number;
  readonly appears?: string;
  readonly vanishes?: string;
}

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';
const listOf = (value: unknown): string => (Array.isArray(value) ? value.join('\n') : '');
const linesOf = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '');

interface Draft {
  readonly name: string;
  readonly minutes: string;
  readonly select: string;
  readonly ignore: string;
  readonly ignoreText: string;
  readonly below: string;
  readonly above: string;
  readonly appears: string;
  readonly vanishes: string;
}

function draftOf({ name, options }: ListedSource): Draft {
  const when = (options['when'] ?? {}) as When;
  return {
    name,
    minutes: typeof options['every'] === 'number' ? String(options['every'] / 60) : '',
    select: textOf(options['select']),
    ignore: listOf(options['ignore']),
    ignoreText: listOf(options['ignore_text']),
    below: textOf(when.below),
    above: textOf(when.above),
    appears: textOf(when.appears),
    vanishes: textOf(when.vanishes),
  };
}

/** Empty fields take their options away. */
function pageOptions({ select, ignore, ignoreText, below, above, appears, vanishes }: Draft) {
  const when = {
    ...(below !== '' && { below: Number(below) }),
    ...(above !== '' && { above: Number(above) }),
    ...(appears !== '' && { appears }),
    ...(vanishes !== '' && { vanishes }),
  };
  return {
    select: select.trim() || null,
    ignore: linesOf(ignore),
    ignore_text: linesOf(ignoreText),
    when: Object.keys(when).length === 0 ? null : when,
  };
}

export function EditSource({ source, onClose }: { source: ListedSource; onClose(): void }) {
  const [draft, setDraft] = useState(() => draftOf(source));
  const update = useChange(client.sources.update, ['sources', 'changes']);
  const { error } = update;
  const field = (label: string, name: keyof Draft, path: string, hint?: string) => (
    <Field label={label} hint={hint} error={issueAt(error, path)}>
      {(control) => (
        <Input
          {...control}
          value={draft[name]}
          onChange={({ target }) => setDraft({ ...draft, [name]: target.value })}
        />
      )}
    </Field>
  );
  // A one-line field would lose the breaks between them.
  const list = (label: string, name: 'ignore' | 'ignoreText', path: string, hint: string) => (
    <Field label={label} hint={hint} error={issueAt(error, path)}>
      {(control) => (
        <TextArea
          {...control}
          rows={2}
          value={draft[name]}
          onChange={({ target }) => setDraft({ ...draft, [name]: target.value })}
        />
      )}
    </Field>
  );
  return (
    <FormDialog
      title="Edit source"
      action="Save"
      busy={update.isPending}
      error={error}
      onSubmit={() =>
        update.mutate(
          {
            source_id: source.id,
            name: draft.name,
            options: {
              ...(Number(draft.minutes) > 0 && { every: Number(draft.minutes) * 60 }),
              ...(source.kind === 'watch' && pageOptions(draft)),
            },
          },
          { onSuccess: onClose },
        )
      }
      onClose={onClose}
    >
      {field('Name', 'name', 'name')}
      {field('Visit every (minutes)', 'minutes', 'options.every', 'Less often where nothing is new.')}
      {source.kind === 'watch' && (
        <>
          {field('Part of the page', 'select', 'options.select', 'A selector, such as #offer .price.')}
          {list('Ignore parts', 'ignore', 'options.ignore', 'A selector on each line, such as .advert.')}
          {list(
            'Ignore lines with',
            'ignoreText',
            'options.ignore_text',
            'A pattern on each line, such as [0-9]+ people.',
          )}
          <div className="grid grid-cols-2 gap-3">
            {field('Number below', 'below', 'options.when.below')}
            {field('Number above', 'above', 'options.when.above')}
            {field('Text appears', 'appears', 'options.when.appears')}
            {field('Text vanishes', 'vanishes', 'options.when.vanishes')}
          </div>
        </>
      )}
    </FormDialog>
  );
}
