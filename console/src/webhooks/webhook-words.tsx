/** A webhook in a few words: its state, and what it receives. */
import type { Webhook } from '../data/queries.ts';
import { Badge } from '../ui/badge.tsx';
import { counted } from '../ui/moment.ts';
import { PLATFORM_NAMES } from '../ui/platform-badge.tsx';
import { FORMATS, webhookShown } from '../words/delivery.ts';

export function wantsOf({ rule_ids, platforms, sources, format, batch }: Webhook): string {
  const rules = rule_ids === null ? 'All rules' : counted(rule_ids.length, 'rule');
  const where = platforms === null ? '' : `, ${platforms.map((name) => PLATFORM_NAMES[name]).join(' and ')}`;
  const from = sources === null ? '' : `, ${counted(sources.length, 'source')}`;
  const how = format === 'json' ? '' : `, as ${FORMATS[format].words}`;
  const when = batch === null ? '' : `, every ${batch.every}`;
  return rules + where + from + how + when;
}

export function WebhookState({ webhook }: { webhook: Webhook }) {
  const { words, tone, about } = webhookShown(webhook);
  return (
    <Badge tone={tone} dot title={about}>
      {words}
    </Badge>
  );
}
