/** Webhooks in a table: one that fails says since when. */
import { Link } from '@tanstack/react-router';
import type { Webhook } from '../data/queries.ts';
import { cx } from '../ui/classes.ts';
import { Table, Td, Th } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { webhookShown } from '../words/delivery.ts';
import { WaitingCount } from './try-now.tsx';
import { nameOf } from './webhook-names.ts';
import { WebhookState, wantsOf } from './webhook-words.tsx';

/** Columns that narrow screens leave out. */
const ROOMY = 'hidden lg:table-cell';

export function WebhookTable({ webhooks }: { webhooks: readonly Webhook[] }) {
  return (
    <Table label="Webhooks">
      <thead>
        <tr>
          <Th>Webhook</Th>
          <Th>State</Th>
          <Th className={ROOMY}>Receives</Th>
          <Th className={ROOMY}>Created</Th>
        </tr>
      </thead>
      <tbody>
        {webhooks.map((webhook) => (
          <tr key={webhook.id} className="relative hover:bg-hover last:[&>td]:border-0">
            <Td className="max-w-48 sm:max-w-96">
              <Link
                to="/connect/$webhookId"
                params={{ webhookId: webhook.id }}
                className="block truncate font-medium outline-offset-[-2px] after:absolute after:inset-0"
              >
                {nameOf(webhook)}
              </Link>
              <span className="block truncate font-mono text-xs text-faint">{webhook.url}</span>
            </Td>
            <Td>
              <WebhookState webhook={webhook} />
              <Trouble webhook={webhook} />
            </Td>
            <Td className={cx(ROOMY, 'min-w-40 text-soft')}>{wantsOf(webhook)}</Td>
            <Td className={cx(ROOMY, 'tabular whitespace-nowrap text-soft')}>
              <Time at={webhook.created_at} />
            </Td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

/** Says what a state other than Active means, and since when it fails. */
function Trouble({ webhook }: { webhook: Webhook }) {
  const { about, tone } = webhookShown(webhook);
  if (tone === 'ok') return null;
  return (
    <span className="mt-0.5 block text-xs text-soft">
      {about}
      {webhook.status === 'active' && webhook.failing_since !== null && (
        <>
          {' '}
          It began <Time at={webhook.failing_since} />.
          <WaitingCount webhook={webhook} />
        </>
      )}
    </span>
  );
}
