/** The receivers of a rule's matches: the webhooks that get them, and the ways for programs and agents. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { SERVER } from '../data/client.ts';
import { type Rule, useReadOnly, useWebhooks } from '../data/queries.ts';
import { curlOf } from '../matches/curl.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { CreateWebhook } from '../webhooks/create-webhook.tsx';
import { StatsCard } from '../webhooks/stats-card.tsx';
import { nameOf } from '../webhooks/webhook-names.ts';
import { WebhookTable } from '../webhooks/webhook-table.tsx';
import { AlertSwitches } from './alert-switches.tsx';

/** A webhook's own page has the others. */
const MOST_DRAWN = 3;

export function DeliverTab({ rule }: { rule: Rule }) {
  const { data: webhooks } = useWebhooks();
  const [isMaking, setMaking] = useState(false);
  const isReadOnly = useReadOnly();
  const own = webhooks?.filter(
    ({ events, rule_ids }) => events.includes('match') && (rule_ids === null || rule_ids.includes(rule.id)),
  );
  return (
    <div className="grid gap-4">
      <Card
        title="Webhooks that get these matches"
        flush
        aside={
          <Button
            size="small"
            obstacle={isReadOnly ? 'Your key is read only.' : undefined}
            onClick={() => setMaking(true)}
          >
            New webhook for this rule
          </Button>
        }
      >
        {own === undefined ? (
          <SkeletonRows rows={2} />
        ) : own.length === 0 ? (
          <p className="px-3 py-4 text-soft">No webhook gets the matches of this rule.</p>
        ) : (
          <WebhookTable webhooks={own} />
        )}
      </Card>
      {own?.slice(0, MOST_DRAWN).map((webhook) => (
        <StatsCard key={webhook.id} webhookId={webhook.id} title={`Deliveries to ${nameOf(webhook)}`} />
      ))}
      <AlertSwitches rule={rule} />
      <Card
        title="For programs"
        aside={
          <Link to="/connect" search={{ to: 'program' }} className="link">
            More ways
          </Link>
        }
      >
        <div className="grid gap-3">
          <CodeBlock label="The newest matches" text={curlOf(SERVER, 'matches', { rule_id: rule.id, limit: 10 })} />
          <CodeBlock
            label="Matches as they are stored, as server-sent events"
            text={`curl -N -H "Authorization: Bearer $KEY" "${SERVER}matches/stream?rule_id=${rule.id}"`}
          />
        </div>
      </Card>
      {isMaking && (
        <CreateWebhook ruleIds={[rule.id]} onClose={() => setMaking(false)} onCreated={() => setMaking(false)} />
      )}
    </div>
  );
}
