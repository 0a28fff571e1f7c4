/** The actions on a webhook: test, pause, edit, new secret, delete. */
import { useNavigate } from '@tanstack/react-router';
import { Ellipsis, KeyRound, Pause, Pencil, Play, Send, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useChange } from '../data/change.ts';
import { client } from '../data/client.ts';
import type { Webhook } from '../data/queries.ts';
import { deleteLater } from '../data/undo.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Confirm, Dialog } from '../ui/dialog.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { toast } from '../ui/toast.tsx';
import { AttemptView } from './attempt-view.tsx';
import { SigningSecret } from './signing-secret.tsx';
import { webhookChanges } from './webhook-changes.ts';
import { WebhookForm } from './webhook-form.tsx';
import { nameOf } from './webhook-names.ts';

type Open = 'edit' | 'rotate' | 'delete';

const ICON = 'size-4';

export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const [open, setOpen] = useState<Open>();
  const pause = useChange(client.webhooks.update, ['webhooks']);
  const isActive = webhook.status === 'active';
  const close = () => setOpen(undefined);
  return (
    <>
      <TestButton webhook={webhook} />
      <Button
        icon={isActive ? <Pause aria-hidden className="size-3.5" /> : <Play aria-hidden className="size-3.5" />}
        busy={pause.isPending}
        onClick={() =>
          pause.mutate(
            { webhook_id: webhook.id, paused: isActive },
            { onError: ({ message }) => toast(message, 'bad') },
          )
        }
      >
        {isActive ? 'Pause' : webhook.status === 'disabled' ? 'Enable' : 'Resume'}
      </Button>
      <Menu
        trigger={
          <IconButton label="More">
            <Ellipsis aria-hidden className={ICON} />
          </IconButton>
        }
      >
        <MenuItem icon={<Pencil aria-hidden className={ICON} />} onSelect={() => setOpen('edit')}>
          Edit
        </MenuItem>
        <MenuItem icon={<KeyRound aria-hidden className={ICON} />} onSelect={() => setOpen('rotate')}>
          New secret
        </MenuItem>
        <MenuItem icon={<Trash2 aria-hidden className={ICON} />} danger onSelect={() => setOpen('delete')}>
          Delete
        </MenuItem>
      </Menu>
      {open === 'edit' && <EditDialog webhook={webhook} onClose={close} />}
      <Rotate webhook={webhook} open={open === 'rotate'} onClose={close} />
      <Delete webhook={webhook} open={open === 'delete'} onClose={close} />
    </>
  );
}

interface ActionProps {
  readonly webhook: Webhook;
  onClose(): void;
}

function TestButton({ webhook }: { webhook: Webhook }) {
  const test = useChange(client.webhooks.test, []);
  return (
    <>
      <Button
        icon={<Send aria-hidden className="size-3.5" />}
        busy={test.isPending}
        onClick={() => test.mutate({ webhook_id: webhook.id }, { onError: ({ message }) => toast(message, 'bad') })}
      >
        Test
      </Button>
      {test.data !== undefined && (
        <Dialog
          open
          title={test.data.delivered ? 'The test was delivered' : 'The test failed'}
          about="Sluice sent one invented match, signed like a real delivery."
          onClose={test.reset}
        >
          <AttemptView attempt={test.data} />
        </Dialog>
      )}
    </>
  );
}

function EditDialog({ webhook, onClose }: ActionProps) {
  const update = useChange(client.webhooks.update, ['webhooks']);
  // Others may change the webhook while the form is open.
  const [opened] = useState(webhook);
  return (
    <WebhookForm
      title="Edit webhook"
      about="Pending deliveries keep their content."
      action="Save"
      webhook={webhook}
      busy={update.isPending}
      error={update.error}
      onSubmit={(choice) => {
        const changes = webhookChanges(opened, choice);
        if (Object.keys(changes).length === 0) return onClose();
        update.mutate({ webhook_id: webhook.id, ...changes }, { onSuccess: onClose });
      }}
      onClose={onClose}
    />
  );
}

function Rotate({ webhook, open, onClose }: ActionProps & { open: boolean }) {
  const rotate = useChange(client.webhooks.update, ['webhooks']);
  const secret = rotate.data?.secret;
  if (secret !== undefined) return <SigningSecret secret={secret} onClose={rotate.reset} />;
  return (
    <Confirm
      open={open}
      title="Create a new secret?"
      action="Create new secret"
      onClose={onClose}
      onConfirm={() => rotate.mutateAsync({ webhook_id: webhook.id, rotate_secret: true })}
    >
      For 24 hours every delivery is signed with the old and the new secret, so your server can switch without missing
      any.
    </Confirm>
  );
}

function Delete({ webhook, open, onClose }: ActionProps & { open: boolean }) {
  const remove = useChange(client.webhooks.delete, ['webhooks']);
  const navigate = useNavigate();
  return (
    <Confirm
      open={open}
      title={`Delete “${nameOf(webhook)}”?`}
      action="Delete webhook"
      onClose={onClose}
      onConfirm={async () => {
        const input = { webhook_id: webhook.id };
        deleteLater({
          id: webhook.id,
          words: `Webhook “${nameOf(webhook)}” deleted.`,
          failed: 'The webhook was not deleted',
          path: 'api.DeleteWebhook',
          input,
          run: () => remove.mutateAsync(input),
        });
        await navigate({ to: '/connect', search: { to: 'webhook' } });
      }}
    >
      Sluice sends nothing more to it and deletes its log. You can undo this for ten seconds.
    </Confirm>
  );
}
