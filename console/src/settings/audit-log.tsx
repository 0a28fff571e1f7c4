/** The log of who changed what in the account. Only a key with full access sees it. */
import { useState } from 'react';
import { useChanges, useReadOnly } from '../data/queries.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { ErrorState } from '../ui/states.tsx';
import { Table, Td, Th } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { ChangeWho, changeWords } from './change-words.tsx';

/** Shown at first. */
const FIRST = 8;

export function AuditLog() {
  const isReadOnly = useReadOnly();
  const [isWhole, setWhole] = useState(false);
  const { data, error, refetch, hasNextPage, fetchNextPage } = useChanges({}, { enabled: !isReadOnly });
  const changes = data?.pages.flatMap((page) => page.changes);
  return (
    <Card title="Audit log" flush>
      {isReadOnly ? (
        <p className="px-3 py-4 text-soft">Only a key with full access sees who changed what.</p>
      ) : error !== null && changes === undefined ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : changes === undefined ? (
        <SkeletonRows rows={3} />
      ) : changes.length === 0 ? (
        <p className="px-3 py-4 text-soft">Nothing was changed yet.</p>
      ) : (
        <Table label="Audit log">
          <thead>
            <tr>
              <Th>When</Th>
              <Th>What</Th>
              <Th>Who</Th>
              <Th className="hidden md:table-cell">Id</Th>
            </tr>
          </thead>
          <tbody>
            {changes.slice(0, isWhole ? changes.length : FIRST).map((change) => (
              <tr key={`${change.at} ${change.what} ${change.id}`} className="last:[&>td]:border-0">
                <Td className="tabular whitespace-nowrap text-soft">
                  <Time at={change.at} />
                </Td>
                <Td className="break-words">{changeWords(change)}</Td>
                <Td className="text-soft">
                  <ChangeWho change={change} />
                </Td>
                <Td className="hidden font-mono text-xs leading-5 text-faint md:table-cell">{change.id}</Td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      {(hasNextPage || (!isWhole && (changes?.length ?? 0) > FIRST)) && (
        <div className="flex justify-center border-t py-2">
          <Button look="quiet" size="small" onClick={() => (isWhole ? void fetchNextPage() : setWhole(true))}>
            Load older changes
          </Button>
        </div>
      )}
    </Card>
  );
}
