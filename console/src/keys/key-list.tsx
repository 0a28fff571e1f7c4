/** The keys of the account, with buttons to create and to revoke one. */
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { useChange } from '../data/change.ts';
import { client } from '../data/client.ts';
import { type Key, useKeys, useReadOnly, useStatus } from '../data/queries.ts';
import { deleteLater, useKept } from '../data/undo.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { cx } from '../ui/classes.ts';
import { Confirm } from '../ui/dialog.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../ui/states.tsx';
import { Table, Td, Th } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { SCOPES } from '../words/access.ts';
import { NewKey } from './new-key.tsx';

export function KeyList() {
  const { data, error, refetch } = useKeys();
  const keys = useKept(data);
  const [isMaking, setMaking] = useState(false);
  const [leaving, setLeaving] = useState<Key>();
  const revoke = useChange(client.keys.revoke, ['keys', 'changes']);
  const isReadOnly = useReadOnly();
  return (
    <Card
      flush
      title="Keys"
      aside={
        <Button
          size="small"
          icon={<Plus aria-hidden className="size-3.5" />}
          obstacle={isReadOnly ? 'Your key is read only.' : undefined}
          onClick={() => setMaking(true)}
        >
          New key
        </Button>
      }
    >
      <p className="border-b px-3 py-2 text-soft">
        Programs, agents and people call Sluice with a key. A key is shown once, when you create it; Sluice stores only
        a digest.
      </p>
      {error !== null && keys === undefined ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : keys === undefined ? (
        <SkeletonRows rows={3} />
      ) : keys.length === 0 ? (
        <EmptyState icon={<KeyRound aria-hidden className="size-5" />} title="No keys" />
      ) : (
        <KeyTable keys={keys} onRevoke={setLeaving} />
      )}
      <NewKey open={isMaking} onClose={() => setMaking(false)} />
      <Confirm
        open={leaving !== undefined}
        title={`Revoke “${leaving?.name ?? ''}”?`}
        action="Revoke key"
        onClose={() => setLeaving(undefined)}
        onConfirm={async () => {
          const input = { key_id: leaving!.id };
          deleteLater({
            id: leaving!.id,
            words: `The key “${leaving!.name}” stops working in ten seconds.`,
            failed: `The key “${leaving!.name}” still works`,
            path: 'api.RevokeKey',
            input,
            run: () => revoke.mutateAsync(input),
          });
        }}
      >
        You can undo this for ten seconds. Then the key stops working, and its open streams and console sessions end.
      </Confirm>
    </Card>
  );
}

/** Columns that narrow screens leave out, and those for which a small laptop has no room. */
const ROOMY = 'hidden md:table-cell';
const WIDE = 'hidden lg:table-cell';

function KeyTable({ keys, onRevoke }: { keys: readonly Key[]; onRevoke(key: Key): void }) {
  const ownId = useStatus().data?.key.id;
  const isReadOnly = useReadOnly();
  return (
    <Table label="Keys">
      <thead>
        <tr>
          <Th>Name</Th>
          <Th>Scope</Th>
          <Th className={WIDE}>Ends with</Th>
          <Th className={WIDE}>Created</Th>
          <Th className={ROOMY}>Last used</Th>
          <Th className={ROOMY}>Expires</Th>
          <Th>
            <span className="sr-only">Actions</span>
          </Th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr key={key.id} className="last:[&>td]:border-0">
            <Td className="font-medium break-words">
              {key.name}
              {key.id === ownId && <span className="ml-2 text-xs font-normal text-faint">this session</span>}
            </Td>
            <Td>
              <Badge tone={SCOPES[key.scope].tone} title={SCOPES[key.scope].about}>
                {SCOPES[key.scope].words}
              </Badge>
            </Td>
            <Td className={cx(WIDE, 'font-mono text-xs leading-5')}>…{key.last_four}</Td>
            <Td className={cx(WIDE, 'tabular whitespace-nowrap text-soft')}>
              <Time at={key.created_at} />
            </Td>
            <Td className={cx(ROOMY, 'tabular whitespace-nowrap text-soft')}>
              {key.last_used_at === null ? 'never' : <Time at={key.last_used_at} />}
            </Td>
            <Td className={cx(ROOMY, 'tabular whitespace-nowrap text-soft')}>
              {key.expires_at === null ? 'never' : <Time at={key.expires_at} ahead />}
            </Td>
            <Td className="text-right">
              {!isReadOnly && (
                <Button
                  look="danger"
                  size="small"
                  className="-my-1"
                  aria-label={`Revoke ${key.name}`}
                  onClick={() => onRevoke(key)}
                >
                  Revoke
                </Button>
              )}
            </Td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
