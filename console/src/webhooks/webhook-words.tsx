/** A webhook in a few words: its state, and what it receives. */
import type { Webhook } from '../data/queries.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { counted } from '../ui/moment.ts';
import { PLATFORM_NAMES } from '../ui/platform-badge.tsx';

export const FORMATS: Readonly<Record<Webhook['format'], string>> = {
  json: 'JSON',
  slack: 'Slack message',
  discord: 'Discord message',
  telegram: 'Telegram message',
  ntfy: 'ntfy notification',
  teams: 'Microsoft Teams card',
  matrix: 'Matrix message',
  email: 'E-mail',
  cloudevents: 'CloudEvents, structured',
  'cloudevents-binary': 'CloudEvents, binary',
  'cloudevents-batch': 'CloudEvents, in batches',
};

export function wantsOf({ rule_ids, platforms, format, batch }: Webhook): string {
  const rules = rule_ids === null ? 'All rules' : counted(rule_ids.length, 'rule');
  const where = platforms === null ? '' : `, ${platforms.map((name) => PLATFORM_NAMES[name]).join(' and ')}`;
  const how = format === 'json' ? '' : `, as ${FORMATS[format]}`;
  const when = batch === null ? '' : `, every ${batch.every}`;
  return rules + where + how + when;
}

/** A status that the API gains does not compile until it has its words here. */
const STATES = {
  active: { words: 'Active', tone: 'ok' },
  paused: { words: 'Paused', tone: 'warn' },
  disabled: { words: 'Disabled', tone: 'bad' },
} as const satisfies Record<Webhook['status'], { words: string; tone: Tone }>;

const FAILING = { words: 'Failing', tone: 'bad' } as const;

export function WebhookState({ webhook: { status, failing_since } }: { webhook: Webhook }) {
  const { words, tone } = status === 'active' && failing_since !== null ? FAILING : STATES[status];
  return (
    <Badge tone={tone} dot>
      {words}
    </Badge>
  );
}
