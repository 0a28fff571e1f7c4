/** Creates a key where it is needed, and says when its first call came. */

import { useQuery } from '@tanstack/react-query';
import { CircleCheck, KeyRound, Loader } from 'lucide-react';
import { useChange } from '../data/change.ts';
import { client } from '../data/client.ts';
import { useReadOnly } from '../data/queries.ts';
import { Button } from '../ui/button.tsx';
import { Time } from '../ui/time.tsx';

export type NewKey = Awaited<ReturnType<typeof client.keys.create>>;

export interface KeyInPlaceProps {
  readonly name: string;
  readonly scope: 'read' | 'full';
  readonly about: string;
  readonly created: NewKey | undefined;
  onCreated(key: NewKey): void;
}

export function KeyInPlace({ name, scope, about, created, onCreated }: KeyInPlaceProps) {
  const create = useChange(client.keys.create, ['keys', 'changes']);
  const isReadOnly = useReadOnly();
  if (created !== undefined) return <FirstCall keyId={created.id} />;
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button
        look="primary"
        icon={<KeyRound aria-hidden className="size-3.5" />}
        busy={create.isPending}
        obstacle={isReadOnly ? 'Your key is read only.' : undefined}
        onClick={() => create.mutate({ name, scope }, { onSuccess: onCreated })}
      >
        Create key
      </Button>
      <span className="text-soft">{about}</span>
      {create.error !== null && <p className="text-bad">{create.error.message}</p>}
    </div>
  );
}

const EVERY = 2_000;

function FirstCall({ keyId }: { keyId: string }) {
  const { data: usedAt } = useQuery({
    queryKey: ['keys', 'first-call', keyId],
    queryFn: async ({ signal }) => {
      const { keys } = await client.keys.list({}, { signal });
      return keys.find(({ id }) => id === keyId)?.last_used_at ?? null;
    },
    refetchInterval: ({ state }) => (state.data == null ? EVERY : false),
  });
  return (
    <div role="status" className="grid gap-1">
      <p className="text-warn">
        The key is in the texts below, and shown only now: copy them before you leave this page.
      </p>
      {usedAt == null ? (
        <p className="flex items-center gap-2 text-soft">
          <Loader aria-hidden className="size-4" />
          Waiting for the first call …
        </p>
      ) : (
        <p className="flex items-center gap-2 text-ok">
          <CircleCheck aria-hidden className="size-4" />
          <span>
            Connected: the first call came <Time at={usedAt} />.
          </span>
        </p>
      )}
    </div>
  );
}
