import { expect, it } from 'vitest';
import type { Match } from '../../domain/match.ts';
import type { Webhook } from '../../domain/webhook.ts';
import { deliveryBody } from './formats.ts';
import { wakeBatch } from './wake-batch.ts';

const NOW = new Date('2026-11-15T08:30:00Z');
const webhook = { id: 'hook_1', format: 'json', wake: { per: 'story' }, wakeTurn: 4 } as Webhook;
const matchAt = (position: number, storyId: string): Match => ({
  id: `match_${position}`,
  createdAt: NOW,
  position,
  platform: 'x',
  platformPostId: String(position),
  ruleId: 'rule_1',
  ruleName: 'Storms',
  ruleVersion: 1,
  payload: {},
  highlights: [],
  storyId,
});

it('takes what fits into one body, holds what comes before the next wake, and leaves the rest for another batch', async () => {
  const owed = ['a', 'a', 'b', 'c', 'b'].map((story, index) => matchAt(index, story));
  const encode = ({ id }: Match) => JSON.stringify({ id, text: 'long '.repeat(20_000) });
  const write = (waking: readonly Match[]) => deliveryBody(webhook, waking, encode);
  const outbox = { wakeStories: async () => new Map() };
  const batch = await wakeBatch(outbox, webhook, webhook.wake!, owed, { at: NOW, write });
  expect(batch.positions).toEqual([0, 2]);
  expect(batch.wake).toMatchObject({
    turn: 4,
    account: { wakes: 2, held: 1, stories: 2 },
    held: [{ position: 1, story: 'a' }],
    digest: { dueAt: new Date('2026-11-16T00:00:00Z') },
  });
  expect((JSON.parse(batch.body) as { wake: boolean; matches: { id: string }[] }).matches.map(({ id }) => id)).toEqual([
    'match_0',
    'match_2',
  ]);
});
