/** For the operator: which accounts lean on the server, with buttons to suspend and resume one, and to set its limits. */
import { Users } from 'lucide-react';
import { useState } from 'react';
import { useChange } from '../data/change.ts';
import { client } from '../data/client.ts';
import { type Usage, useStatus, useUsage } from '../data/queries.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { cx } from '../ui/classes.ts';
import { Confirm } from '../ui/dialog.tsx';
import { figure } from '../ui/moment.ts';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../ui/states.tsx';
import { Table, Td, Th } from '../ui/table.tsx';
import { AccountLimits } from './account-limits.tsx';

export function Accounts() {
  // Only the operator sees `instance`.
  return useStatus().data?.instance === undefined ? null : <AccountsCard />;
}

function AccountsCard() {
  const { data: accounts, error, refetch } = useUsage();
  const [asked, setAsked] = useState<Usage>();
  const [limited, setLimited] = useState<Usage>();
  return (
    <Card flush title="Accounts">
      <p className="border-b px-3 py-2 text-soft">
        What accounts used in the last five minutes, the largest first, and those that are suspended.
      </p>
      {error !== null && accounts === undefined ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : accounts === undefined ? (
        <SkeletonRows rows={3} />
      ) : accounts.length === 0 ? (
        <EmptyState icon={<Users aria-hidden className="size-5" />} title="No account has used anything" />
      ) : (
        <AccountTable accounts={accounts} onAsk={setAsked} onLimits={setLimited} />
      )}
      <SuspendDialog account={asked} onClose={() => setAsked(undefined)} />
      {limited !== undefined && <AccountLimits account={limited} onClose={() => setLimited(undefined)} />}
    </Card>
  );
}

function SuspendDialog({ account, onClose }: { account: Usage | undefined; onClose(): void }) {
  const suspend = useChange(client.accounts.suspend, ['usage']);
  const resume = useChange(client.accounts.resume, ['usage']);
  const isResumed = account !== undefined && account.suspended !== null;
  return (
    <Confirm
      open={account !== undefined}
      title={`${isResumed ? 'Resume' : 'Suspend'} “${account?.name ?? ''}”?`}
      action={isResumed ? 'Resume account' : 'Suspend account'}
      onClose={onClose}
      onConfirm={() => (isResumed ? resume : suspend).mutateAsync({ account_id: account!.id })}
    >
      {isResumed
        ? 'Its keys work again, its rules are matched again, and its deliveries go on.'
        : 'Its rules match nothing, its keys are refused, and its streams end. Nothing is deleted, and you can resume it at any time.'}
    </Confirm>
  );
}

interface AccountTableProps {
  readonly accounts: readonly Usage[];
  onAsk(account: Usage): void;
  onLimits(account: Usage): void;
}

/** Columns that narrow screens leave out. */
const ROOMY = 'hidden md:table-cell';
const FIGURE = 'tabular text-right whitespace-nowrap';

function AccountTable({ accounts, onAsk, onLimits }: AccountTableProps) {
  const ownId = useStatus().data?.account.id;
  return (
    <Table label="Accounts">
      <thead>
        <tr>
          <Th>Name</Th>
          <Th className="text-right">CPU, ms</Th>
          <Th className={cx(ROOMY, 'text-right')}>Bytes in</Th>
          <Th className={cx(ROOMY, 'text-right')}>Matches</Th>
          <Th className={cx(ROOMY, 'text-right')}>Stored</Th>
          <Th>
            <span className="sr-only">Actions</span>
          </Th>
        </tr>
      </thead>
      <tbody>
        {accounts.map((account) => (
          <tr key={account.id} className="last:[&>td]:border-0">
            <Td className="font-medium break-words">
              {account.name}
              {account.suspended !== null && (
                <span className="ml-2">
                  <Badge tone="bad" title={account.suspended.reason}>
                    Suspended
                  </Badge>
                </span>
              )}
            </Td>
            <Td className={FIGURE}>{figure(account.cpu_ms)}</Td>
            <Td className={cx(ROOMY, FIGURE)}>{figure(account.bytes_in)}</Td>
            <Td className={cx(ROOMY, FIGURE)}>{figure(account.matches)}</Td>
            <Td className={cx(ROOMY, FIGURE)}>{figure(account.stored_matches)}</Td>
            <Td className="text-right whitespace-nowrap">
              <Button size="small" aria-label={`Limits of ${account.name}`} onClick={() => onLimits(account)}>
                Limits
              </Button>{' '}
              {account.id !== ownId && <SuspendButton account={account} onAsk={onAsk} />}
            </Td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function SuspendButton({ account, onAsk }: { account: Usage; onAsk(account: Usage): void }) {
  const verb = account.suspended === null ? 'Suspend' : 'Resume';
  return (
    <Button
      look={account.suspended === null ? 'danger' : 'plain'}
      size="small"
      aria-label={`${verb} ${account.name}`}
      onClick={() => onAsk(account)}
    >
      {verb}
    </Button>
  );
}
