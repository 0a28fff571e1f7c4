/** A webhook in a few words: its state, and what it receives. */
import type { Webhook } from '../data/queries.ts';
import { Badge } from '../ui/badge.tsx';
import { counted } from '../ui/moment.ts';
import { PLATFORM_NAMES } from '../ui/platform-badge.tsx';
import { FORMATS, WEBHOOK_EVENTS, webhookShown } from '../words/delivery.ts';

export function wantsOf({ rule_ids, platforms, sources, format, batch, events }: Webhook): string {
  const others = events.filter((event) => event !== 'match').map((event) => WEBHOOK_EVENTS[event].words);
  const how = format === 'json' ? '' : `, as ${FORMATS[format].words}`;
  if (!events.includes('match')) return others.join(' and ') + how;
  const rules = rule_ids === null ? 'All rules' : counted(rule_ids.length, 'rule');
  const where = platforms === null ? '' : `, ${platforms.map((name) => PLATFORM_NAMES[name]).join(' and ')}`;
  const from = sources === null ? '' : `, ${counted(sources.length, 'source')}`;
  const when = batch === null ? '' : `, every ${batch.every}`;
  const beside = others.length === 0 ? '' : `, and ${others.join(' and ').toLowerCase()}`;
  return rules + where + from + how + when + beside;
}

export function WebhookState({ webhook }: { webhook: Webhook }) {
  const { words, tone, about } = webhookShown(webhook);
  return (
    <Badge tone={tone} dot title={about}>
      {words}
    </Badge>
  );
}
