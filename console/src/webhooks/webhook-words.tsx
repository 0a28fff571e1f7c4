/** A webhook in a few words: its name, its state, and what it receives. */
import type { Webhook } from '../data/queries.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { counted } from '../ui/moment.ts';
import { PLATFORM_NAMES } from '../ui/platform-badge.tsx';

/** The webhook's description, or its host if it has none. */
export const nameOf = ({ description, url }: Webhook): string => description || new URL(url).host;

export const FORMATS: Readonly<Record<Webhook['format'], string>> = {
  json: 'JSON',
  slack: 'Slack message',
  discord: 'Discord message',
};

export function wantsOf({ rule_ids, platforms, format, batch }: Webhook): string {
  const rules = rule_ids === null ? 'All rules' : counted(rule_ids.length, 'rule');
  const where = platforms === null ? '' : `, ${platforms.map((name) => PLATFORM_NAMES[name]).join(' and ')}`;
  const how = format === 'json' ? '' : `, as ${FORMATS[format]}`;
  const when = batch === null ? '' : `, every ${batch.every}`;
  return rules + where + how + when;
}

export function stateOf({ status, failing_since }: Webhook): { words: string; tone: Tone } {
  if (status === 'disabled') return { words: 'Disabled', tone: 'bad' };
  if (status === 'paused') return { words: 'Paused', tone: 'warn' };
  return failing_since === null ? { words: 'Active', tone: 'ok' } : { words: 'Failing', tone: 'bad' };
}

export function WebhookState({ webhook }: { webhook: Webhook }) {
  const { words, tone } = stateOf(webhook);
  return (
    <Badge tone={tone} dot>
      {words}
    </Badge>
  );
}
