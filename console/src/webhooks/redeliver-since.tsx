/** Redelivers everything since a time, and delivers what was missed. */
import { useState } from 'react';
import { useChange } from '../data/change.ts';
import { client } from '../data/client.ts';
import type { Webhook } from '../data/queries.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Input } from '../ui/input.tsx';
import { counted, localTime } from '../ui/moment.ts';
import { serverNow } from '../ui/server-now.ts';
import { toast } from '../ui/toast.tsx';

const HOUR = 3_600_000;

export function RedeliverSince({ webhook }: { webhook: Pick<Webhook, 'id' | 'status'> }) {
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

function SinceDialog({ webhook, onClose }: { webhook: Pick<Webhook, 'id'>; onClose(): void }) {
  const [since, setSince] = useState(() => localTime(serverNow() - HOUR));
  const redeliver = useChange(client.webhooks.redeliver, ['deliveries']);

  function submit() {
    redeliver.mutate(
      { webhook_id: webhook.id, since: new Date(since).toISOString() },
      {
        onSuccess({ deliveries, matches }) {
          toast(
            `Sending ${counted(deliveries, 'delivery', 'deliveries')} again, and ${counted(matches, 'match', 'matches')} that had none.`,
          );
          onClose();
        },
      },
    );
  }

  return (
    <FormDialog
      title="Redeliver since a time"
      about="Sends every delivery since then again, with the same id and content, and every match that was in no delivery."
      action="Redeliver"
      busy={redeliver.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label="Since" hint="In your time zone." error={redeliver.error?.message}>
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
