/** Sends again what was sent since a time, and what should have been. */
import { useState } from 'react';
import { useChange } from '../data/change.ts';
import { client } from '../data/client.ts';
import type { Webhook } from '../data/queries.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Input } from '../ui/input.tsx';
import { counted } from '../ui/moment.ts';
import { toast } from '../ui/toast.tsx';

const HOUR = 3_600_000;

export function RedeliverSince({ webhook }: { webhook: Webhook }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="small" disabled={webhook.status === 'disabled'} onClick={() => setOpen(true)}>
        Redeliver since…
      </Button>
      {isOpen && <SinceDialog webhook={webhook} onClose={() => setOpen(false)} />}
    </>
  );
}

function SinceDialog({ webhook, onClose }: { webhook: Webhook; onClose(): void }) {
  const [since, setSince] = useState(() => localTime(Date.now() - HOUR));
  const redeliver = useChange(client.webhooks.redeliver, ['deliveries']);

  function submit() {
    redeliver.mutate(
      { webhook_id: webhook.id, since: new Date(since).toISOString() },
      {
        onSuccess({ deliveries, matches }) {
          toast(
            `${counted(deliveries, 'delivery', 'deliveries')} and ${counted(matches, 'match', 'matches')} more go out.`,
          );
          onClose();
        },
      },
    );
  }

  return (
    <FormDialog
      title="Redeliver since a time"
      about="Every delivery made since then goes out again with its own id and content, and matches that were in none are sent as well."
      action="Redeliver"
      busy={redeliver.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label="Since" hint="In your own time zone." error={redeliver.error?.message}>
        {(control) => (
          <Input
            {...control}
            required
            type="datetime-local"
            value={since}
            onChange={({ target }) => setSince(target.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}

/** As the input wants it: the reader's own time, without a zone. */
function localTime(at: number): string {
  const date = new Date(at);
  return new Date(at - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
