/** The agents that were connected with OAuth: a list, with a button to disconnect one. */
import { Bot } from 'lucide-react';
import { useState } from 'react';
import { useChange } from '../data/change.ts';
import { client } from '../data/client.ts';
import { type Grant, useGrants, useReadOnly, useRules } from '../data/queries.ts';
import { deleteLater, useKept } from '../data/undo.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { cx } from '../ui/classes.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../ui/states.tsx';
import { Table, Td, Th } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { GRANT_SCOPES } from '../words/access.ts';

/** Where others are the matter, it is shown only if there are any. */
export function ConnectedAgents({ isShort = false }: { isShort?: boolean }) {
  const { data, error, refetch } = useGrants();
  const grants = useKept(data?.grants) ?? [];
  const [leaving, setLeaving] = useState<Grant>();
  const revoke = useChange(client.grants.revoke, ['grants', 'changes']);
  if (isShort && grants.length === 0 && error === null) return null;
  return (
    <Card flush title="Connected agents">
      {error !== null && data === undefined ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <SkeletonRows rows={2} />
      ) : grants.length === 0 ? (
        <NoAgents connectUrl={data.connect_url} offReason={data.off_reason} />
      ) : (
        <AgentTable grants={grants} onDisconnect={setLeaving} />
      )}
      <Confirm
        open={leaving !== undefined}
        title={`Disconnect “${leaving?.client_name ?? ''}”?`}
        action="Disconnect"
        onClose={() => setLeaving(undefined)}
        onConfirm={async () => {
          const input = { grant_id: leaving!.id };
          deleteLater({
            id: leaving!.id,
            words: `The access of “${leaving!.client_name}” ends in ten seconds.`,
            failed: `“${leaving!.client_name}” is still connected`,
            path: 'api.RevokeGrant',
            input,
            run: () => revoke.mutateAsync(input),
          });
        }}
      >
        You can undo this for ten seconds. Then its access ends, also where it waits for matches. To use Sluice again it
        must ask you again.
      </Confirm>
    </Card>
  );
}

function NoAgents({ connectUrl, offReason }: { connectUrl: string | null; offReason: string | null }) {
  const icon = <Bot aria-hidden className="size-5" />;
  if (connectUrl === null)
    return <p className="px-3 py-3 text-soft">Agents need a key here: connecting without one is off. {offReason}</p>;
  return (
    <EmptyState
      icon={icon}
      title="No agent is connected"
      actions={<CopyButton text={connectUrl} label="Copy address" />}
    >
      Give your agent this address. It opens a page here that asks you first.
      <code className="mt-2 block font-mono text-xs break-all text-ink">{connectUrl}</code>
    </EmptyState>
  );
}

/** Columns that narrow screens leave out. */
const ROOMY = 'hidden md:table-cell';

function AgentTable({ grants, onDisconnect }: { grants: readonly Grant[]; onDisconnect(grant: Grant): void }) {
  const isReadOnly = useReadOnly();
  return (
    <Table label="Connected agents">
      <thead>
        <tr>
          <Th>Agent</Th>
          <Th>May</Th>
          <Th className={ROOMY}>Rules</Th>
          <Th className={ROOMY}>Connected</Th>
          <Th className={ROOMY}>Last used</Th>
          <Th>
            <span className="sr-only">Actions</span>
          </Th>
        </tr>
      </thead>
      <tbody>
        {grants.map((grant) => (
          <tr key={grant.id} className="last:[&>td]:border-0">
            <Td className="break-words">
              <span className="font-medium">{grant.client_name}</span>
              <span className="block text-xs text-faint">
                {grant.client_host === null ? `${grant.redirect_host}, not verified` : grant.client_host}
              </span>
            </Td>
            <Td>
              <span className="flex flex-wrap gap-1">
                {grant.scopes.map((scope) => (
                  <Badge key={scope} tone={GRANT_SCOPES[scope].tone} title={GRANT_SCOPES[scope].about}>
                    {GRANT_SCOPES[scope].words}
                  </Badge>
                ))}
              </span>
            </Td>
            <Td className={cx(ROOMY, 'text-soft')}>
              <RulesOf ruleIds={grant.rule_ids} />
            </Td>
            <Td className={cx(ROOMY, 'tabular whitespace-nowrap text-soft')}>
              <Time at={grant.created_at} />
            </Td>
            <Td className={cx(ROOMY, 'tabular whitespace-nowrap text-soft')}>
              {grant.last_used_at === null ? 'never' : <Time at={grant.last_used_at} />}
            </Td>
            <Td className="text-right">
              {!isReadOnly && (
                <Button
                  look="danger"
                  size="small"
                  aria-label={`Disconnect ${grant.client_name}`}
                  onClick={() => onDisconnect(grant)}
                >
                  Disconnect
                </Button>
              )}
            </Td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function RulesOf({ ruleIds }: { ruleIds: readonly string[] | null }) {
  const { data: rules = [] } = useRules();
  if (ruleIds === null) return 'All';
  const names = ruleIds.map((id) => rules.find((rule) => rule.id === id)?.name ?? 'a deleted rule');
  return <span className="break-words">{names.join(', ')}</span>;
}
