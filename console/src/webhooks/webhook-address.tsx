/** The address of a webhook, and what it shows there to be let in. A stored one stays unless another is written. */
import type { SluiceError } from '../../../packages/client/src/index.ts';
import { issueAt } from '../data/problems.ts';
import type { Webhook } from '../data/queries.ts';
import { Field } from '../ui/field.tsx';
import { Input } from '../ui/input.tsx';
import { FORMAT_HELP, takesCredential } from './receivers.ts';

interface WebhookAddressProps {
  readonly choice: Pick<Webhook, 'format'> & { readonly url: string; readonly credential?: string };
  /** It is undefined for a new webhook. */
  readonly webhook: Webhook | undefined;
  readonly error: SluiceError | null;
  onChange(part: { url: string } | { credential: string }): void;
}

export function WebhookAddress({ choice, webhook, error, onChange }: WebhookAddressProps) {
  const help = FORMAT_HELP[choice.format];
  const { credential = '' } = choice;
  const hasCredential =
    credential !== '' ||
    webhook?.has_credential === true ||
    takesCredential(choice.format, choice.url === '' ? (webhook?.url ?? '') : choice.url);
  return (
    <>
      <Field
        label="URL"
        hint={webhook === undefined ? help.hint : `${help.hint} Leave it empty to keep the stored one.`}
        error={issueAt(error, 'url')}
      >
        {(control) => (
          <Input
            {...control}
            required={webhook === undefined}
            inputMode="url"
            spellCheck={false}
            maxLength={2_048}
            placeholder={webhook?.url ?? help.placeholder}
            value={choice.url}
            onChange={({ target }) => onChange({ url: target.value })}
          />
        )}
      </Field>
      {hasCredential && (
        <Field
          label="Credential"
          hint={`${help.credential ?? ''}${webhook?.has_credential === true ? ' Leave it empty to keep the stored one.' : ''}`}
          error={issueAt(error, 'credential')}
        >
          {(control) => (
            <Input
              {...control}
              type="password"
              autoComplete="off"
              maxLength={4_096}
              value={credential}
              onChange={({ target }) => onChange({ credential: target.value })}
            />
          )}
        </Field>
      )}
    </>
  );
}
