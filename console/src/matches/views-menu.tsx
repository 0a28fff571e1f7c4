/** Saved views: filters with a name. Each has an address, so that it can be bookmarked and sent. */
import { useNavigate } from '@tanstack/react-router';
import { Bookmark, Check, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useChange } from '../data/change.ts';
import { client, SERVER } from '../data/client.ts';
import { useViews } from '../data/explore-queries.ts';
import { issueAt } from '../data/problems.ts';
import { useReadOnly, type View } from '../data/queries.ts';
import { deleteLater, useKept } from '../data/undo.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Input } from '../ui/input.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { toast } from '../ui/toast.tsx';
import { isFiltered, type MatchesSearch } from './filter.ts';
import { addressOf, queryOf, searchOf, viewShown } from './views.ts';

type Listed = View & { readonly id: string };

export function ViewsMenu({ search }: { search: MatchesSearch }) {
  const { data } = useViews();
  const views = useKept(data?.map((view): Listed => ({ ...view, id: view.view_id }))) ?? [];
  const [open, setOpen] = useState<'save' | 'all'>();
  const navigate = useNavigate();
  const isReadOnly = useReadOnly();
  const shown = viewShown(views, search);
  return (
    <>
      <Menu
        trigger={
          <Button className="max-sm:px-2" icon={<Bookmark aria-hidden className="size-3.5" />}>
            <span className="max-w-40 truncate max-sm:sr-only">{shown?.name ?? 'Views'}</span>
          </Button>
        }
      >
        {views.slice(0, MOST_LISTED).map((view) => (
          <MenuItem
            key={view.id}
            icon={
              <Check aria-hidden className={view === shown ? 'size-3.5 shrink-0' : 'invisible size-3.5 shrink-0'} />
            }
            onSelect={() => void navigate({ to: '/matches/{-$matchId}', params: {}, search: searchOf(view.query) })}
          >
            <span className="max-w-64 truncate">{view.name}</span>
          </MenuItem>
        ))}
        <MenuItem disabled={isReadOnly || !isFiltered(search) || shown !== undefined} onSelect={() => setOpen('save')}>
          Save this view …
        </MenuItem>
        {views.length > 0 && <MenuItem onSelect={() => setOpen('all')}>All saved views …</MenuItem>}
      </Menu>
      {open === 'save' && <SaveView search={search} onClose={() => setOpen(undefined)} />}
      {open === 'all' && <AllViews views={views} isReadOnly={isReadOnly} onClose={() => setOpen(undefined)} />}
    </>
  );
}

/** The dialog has all of them. */
const MOST_LISTED = 12;

function SaveView({ search, onClose }: { search: MatchesSearch; onClose(): void }) {
  const [name, setName] = useState('');
  const create = useChange(client.views.create, ['views']);
  const issue = issueAt(create.error, 'name');
  return (
    <FormDialog
      title="Save this view"
      about="Everyone who uses this account sees it."
      action="Save"
      busy={create.isPending}
      error={create.error}
      onClose={onClose}
      onSubmit={() =>
        create.mutate(
          { name: name.trim(), query: queryOf(search) },
          {
            onSuccess: () => {
              toast(`View “${name.trim()}” saved.`);
              onClose();
            },
          },
        )
      }
    >
      <Field label="Name" {...(issue !== undefined && { error: issue })}>
        {(control) => (
          <Input {...control} required maxLength={200} value={name} onChange={({ target }) => setName(target.value)} />
        )}
      </Field>
    </FormDialog>
  );
}

interface AllViewsProps {
  readonly views: readonly Listed[];
  readonly isReadOnly: boolean;
  onClose(): void;
}

function AllViews({ views, isReadOnly, onClose }: AllViewsProps) {
  const remove = useChange(client.views.delete, ['views']);
  return (
    <Dialog open title="Saved views" onClose={onClose}>
      {views.length === 0 && <p className="text-soft">There are none.</p>}
      <ul className="divide-y">
        {views.map((view) => (
          <li key={view.id} className="flex items-center gap-2 py-1.5">
            <a
              href={addressOf('', view.query)}
              onClick={onClose}
              className="min-w-0 flex-1 truncate font-medium hover:text-accent"
            >
              {view.name}
              {view.rules_gone && <span className="text-warn"> (its rule is deleted)</span>}
            </a>
            <CopyButton text={addressOf(SERVER, view.query)} label={`Copy the link to ${view.name}`} />
            {!isReadOnly && (
              <IconButton
                label={`Delete ${view.name}`}
                size="small"
                onClick={() =>
                  deleteLater({
                    id: view.id,
                    words: `View “${view.name}” deleted.`,
                    failed: 'The view was not deleted',
                    path: 'api.DeleteView',
                    input: { view_id: view.id },
                    run: () => remove.mutateAsync({ view_id: view.id }),
                  })
                }
              >
                <Trash2 aria-hidden className="size-4" />
              </IconButton>
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
