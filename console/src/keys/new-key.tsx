/** Creates a key, then shows it once. */
import { useState } from 'react';
import { useChange } from '../data/change.ts';
import { client } from '../data/client.ts';
import { issueAt } from '../data/problems.ts';
import { useStatus } from '../data/queries.ts';
import { Field } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Input, Select } from '../ui/input.tsx';
import { SecretDialog } from '../ui/secret-dialog.tsx';
import { serverNow } from '../ui/server-now.ts';
import { SCOPES } from '../words/access.ts';

const DAY = 86_400_000;
const LIVES = { never: undefined, '30 days': 30 * DAY, '90 days': 90 * DAY, '1 year': 365 * DAY } as const;

export function NewKey({ open, onClose }: { open: boolean; onClose(): void }) {
  // The dialog starts fresh each time it opens, so the key shown before is gone.
  return open ? <KeyDialog onClose={onClose} /> : null;
}

function KeyDialog({ onClose }: { onClose(): void }) {
  const create = useChange(client.keys.create, ['keys', 'changes']);
  if (create.data !== undefined) {
    return (
      <SecretDialog title={`Key “${create.data.name}”`} name="key" secret={create.data.key} onClose={onClose}>
        Copy it now: it is shown only once. Store it like a password.
      </SecretDialog>
    );
  }
  return <KeyForm create={create} onClose={onClose} />;
}

type CreateKey = ReturnType<typeof useChange<Parameters<typeof client.keys.create>[0], { key: string; name: string }>>;

function KeyForm({ create, onClose }: { create: CreateKey; onClose(): void }) {
  const { data: status } = useStatus();
  const [name, setName] = useState('');
  const [scope, setScope] = useState<keyof typeof SCOPES>('read');
  const [life, setLife] = useState<keyof typeof LIVES>('never');
  const { error } = create;
  // Only the operator may create keys that push events, and only the operator sees `instance`.
  const scopes = (Object.keys(SCOPES) as (keyof typeof SCOPES)[]).filter(
    (one) => one !== 'ingest' || status?.instance !== undefined,
  );

  function submit() {
    const milliseconds = LIVES[life];
    create.mutate({
      name: name.trim(),
      scope,
      ...(milliseconds !== undefined && { expires_at: new Date(serverNow() + milliseconds).toISOString() }),
    });
  }

  return (
    <FormDialog
      title="New key"
      action="Create key"
      busy={create.isPending}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label="Name" hint="Who or what will use it." error={issueAt(error, 'name')}>
        {(control) => (
          <Input {...control} required maxLength={200} value={name} onChange={({ target }) => setName(target.value)} />
        )}
      </Field>
      <Field label="Scope" hint={SCOPES[scope].about} error={issueAt(error, 'scope')}>
        {(control) => (
          <Select {...control} value={scope} onChange={({ target }) => setScope(target.value as keyof typeof SCOPES)}>
            {scopes.map((one) => (
              <option key={one} value={one}>
                {SCOPES[one].words}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label="Expires" error={issueAt(error, 'expires_at')}>
        {(control) => (
          <Select {...control} value={life} onChange={({ target }) => setLife(target.value as keyof typeof LIVES)}>
            {Object.keys(LIVES).map((one) => (
              <option key={one} value={one}>
                {one === 'never' ? 'Never' : `In ${one}`}
              </option>
            ))}
          </Select>
        )}
      </Field>
    </FormDialog>
  );
}
