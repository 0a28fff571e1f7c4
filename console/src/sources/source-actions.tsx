/** The actions on a source: a rule on it, pause, test, edit, delete. */
import { useNavigate } from '@tanstack/react-router';
import { Ellipsis, FlaskConical, ListFilter, Pause, Pencil, Play, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useChange } from '../data/change.ts';
import { client } from '../data/client.ts';
import type { ListedSource } from '../data/queries.ts';
import { deleteLater } from '../data/undo.ts';
import { IconButton } from '../ui/button.tsx';
import { Confirm, Dialog } from '../ui/dialog.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { toast } from '../ui/toast.tsx';
import { EditSource } from './edit-source.tsx';
import { EventLines } from './event-lines.tsx';

const ICON = 'size-4';

export function SourceActions({ source }: { source: ListedSource }) {
  const { id: source_id, name, kind, options } = source;
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const update = useChange(client.sources.update, ['sources', 'changes']);
  const test = useChange(client.sources.test, []);
  const navigate = useNavigate();
  const isPaused = source.status === 'paused';
  const onError = ({ message }: Error) => toast(message, 'bad');
  const { slowest: _, ...tried } = options;
  return (
    <>
      <Menu
        trigger={
          <IconButton label={`Actions on ${name}`} disabled={test.isPending}>
            <Ellipsis aria-hidden className={ICON} />
          </IconButton>
        }
      >
        <MenuItem
          icon={<ListFilter aria-hidden className={ICON} />}
          onSelect={() => void navigate({ to: '/rules/write', search: { source: source_id } })}
        >
          Write a rule on it
        </MenuItem>
        <MenuItem
          icon={isPaused ? <Play aria-hidden className={ICON} /> : <Pause aria-hidden className={ICON} />}
          onSelect={() => update.mutate({ source_id, paused: !isPaused }, { onError })}
        >
          {isPaused ? 'Resume' : 'Pause'}
        </MenuItem>
        <MenuItem
          icon={<FlaskConical aria-hidden className={ICON} />}
          onSelect={() => test.mutate({ kind, options: tried }, { onError })}
        >
          Test
        </MenuItem>
        <MenuItem icon={<Pencil aria-hidden className={ICON} />} onSelect={() => setOpen('edit')}>
          Edit
        </MenuItem>
        <MenuItem icon={<Trash2 aria-hidden className={ICON} />} danger onSelect={() => setOpen('delete')}>
          Delete
        </MenuItem>
      </Menu>
      {open === 'edit' && <EditSource source={source} onClose={() => setOpen(undefined)} />}
      {test.data !== undefined && (
        <Dialog
          open
          title={test.data.events.length > 0 ? 'It answers' : 'It brought nothing'}
          about={test.data.problem ?? 'Sluice visited it as if for the first time, and stored nothing.'}
          onClose={test.reset}
        >
          <EventLines label="Events" events={test.data.events.map(({ event }) => event)} />
        </Dialog>
      )}
      <Delete source={source} open={open === 'delete'} onClose={() => setOpen(undefined)} />
    </>
  );
}

function Delete({ source, open, onClose }: { source: ListedSource; open: boolean; onClose(): void }) {
  const remove = useChange(client.sources.delete, ['sources', 'changes']);
  const input = { source_id: source.id };
  return (
    <Confirm
      open={open}
      title={`Delete “${source.name}”?`}
      action="Delete source"
      onClose={onClose}
      onConfirm={async () =>
        deleteLater({
          id: source.id,
          words: `Source “${source.name}” deleted.`,
          failed: 'The source was not deleted',
          path: 'api.DeleteSource',
          input,
          run: () => remove.mutateAsync(input),
        })
      }
    >
      It is visited no more. Its matches stay. You can undo this for ten seconds.
    </Confirm>
  );
}
