/** The limits that one account has of its own. */
import { useState } from 'react';
import { ACCOUNT_LIMIT_CODES, type AccountLimit } from '../../../src/domain/account.ts';
import { useChange } from '../data/change.ts';
import { client } from '../data/client.ts';
import { issueAt } from '../data/problems.ts';
import type { Usage } from '../data/queries.ts';
import { Field } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Input } from '../ui/input.tsx';
import { LIMITS } from '../words/limits.ts';

const textOf = (limit: number | null | undefined): string =>
  limit === undefined ? '' : limit === null ? 'off' : String(limit);

/** An empty field is the limit of the installation. What is no number is sent as it is, and the server says so. */
function limitOf(text: string): number | 'off' | 'usual' {
  const trimmed = text.trim();
  if (trimmed === '') return 'usual';
  return trimmed === 'off' ? trimmed : Number(trimmed);
}

export function AccountLimits({ account, onClose }: { account: Usage; onClose(): void }) {
  const change = useChange(client.accounts.setLimits, ['usage']);
  const [texts, setTexts] = useState<Partial<Record<AccountLimit, string>>>({});
  const shown = (code: AccountLimit): string => texts[code] ?? textOf(account.limits[code]);

  async function submit() {
    const limits = Object.fromEntries(Object.entries(texts).map(([code, text]) => [code, limitOf(text)]));
    await change.mutateAsync({ account_id: account.id, limits });
    onClose();
  }

  return (
    <FormDialog
      title={`Limits of “${account.name}”`}
      about="A number, or off for no limit. An empty field is the limit of the installation."
      action="Save limits"
      busy={change.isPending}
      error={change.error}
      onSubmit={() => void submit().catch(() => {})}
      onClose={onClose}
    >
      {ACCOUNT_LIMIT_CODES.map((code) => (
        <Field key={code} label={LIMITS[code].words} error={issueAt(change.error, `limits.${code}`)}>
          {(control) => (
            <Input
              {...control}
              inputMode="numeric"
              placeholder="usual"
              pattern="\s*(off|[1-9][0-9]*)?\s*"
              title="A whole number above 0, off, or nothing."
              value={shown(code)}
              onChange={({ target }) => setTexts({ ...texts, [code]: target.value })}
            />
          )}
        </Field>
      ))}
    </FormDialog>
  );
}
