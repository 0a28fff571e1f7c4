/** Changes a source: its name, how often it is visited, and of a page which part and when. */
import { useState } from 'react';
import { useChange } from '../data/change.ts';
import { client } from '../data/client.ts';
import { issueAt } from '../data/problems.ts';
import type { ListedSource } from '../data/queries.ts';
import { Field } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Input, TextArea } from '../ui/input.tsx';
import { type SourceDraft, sourceChanges, sourceDraftOf, sourceObstacle } from './source-changes.ts';

export function EditSource({ source, onClose }: { source: ListedSource; onClose(): void }) {
  // Others may change the source while the form is open.
  const [opened] = useState(source);
  const [draft, setDraft] = useState(() => sourceDraftOf(opened));
  const update = useChange(client.sources.update, ['sources', 'changes']);
  const { error } = update;
  const obstacle = sourceObstacle(draft);
  function submit() {
    if (obstacle !== undefined) return;
    const changes = sourceChanges(opened, draft);
    if (changes === undefined) onClose();
    else update.mutate(changes, { onSuccess: onClose });
  }
  const field = (label: string, name: keyof SourceDraft, path: string, hint?: string) => (
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
      obstacle={obstacle}
      onSubmit={submit}
      onClose={onClose}
    >
      {field('Name', 'name', 'name')}
      {field(
        'Visit every (minutes)',
        'minutes',
        'options.every',
        'Less often where nothing is new. Empty: as usual for its kind.',
      )}
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
