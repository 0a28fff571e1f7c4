import { expect, it } from 'vitest';
import type { Match } from '../../domain/match.ts';
import type { Silence } from '../../domain/wake.ts';
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
  const outbox = { wakeStories: async () => new Map(), matchesAfter: async () => ({ matches: [] }) };
  const batch = await wakeBatch(outbox, webhook, owed, { at: NOW, silences: [], write });
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

it('closes the digest that as many wait for as may, and lets it go when no quiet hours keep it', async () => {
  const owed = ['a', 'b', 'c'].map((story, index) => matchAt(index, story));
  const write = () => ({ text: '', matches: 0 });
  const outbox = { wakeStories: async () => new Map(), matchesAfter: async () => ({ matches: [] }) };
  const quiet = { from: '08:00', to: '09:00', zone: 'UTC' };
  const batchOf = (digest: object) =>
    wakeBatch(outbox, { ...webhook, wake: { per: 'match', quiet, ...digest } }, owed, { at: NOW, silences: [], write });
  const full = await batchOf({ digest: { whenWaiting: 2 } });
  expect(full.wake?.held.map(({ position }) => position)).toEqual([0, 1]);
  expect(full.wake?.digest).toMatchObject({ fullAt: new Date('2026-11-15T09:00:00Z') });
  const open = await batchOf({ digest: { at: '18:00', zone: 'Europe/Berlin' } });
  expect(open.wake?.held).toHaveLength(3);
  expect(open.wake?.digest).toMatchObject({ dueAt: new Date('2026-11-15T17:00:00Z') });
  expect(open.wake?.digest).not.toHaveProperty('fullAt');
});

it('reads a match that must not follow once, however many it follows', async () => {
  const ruleAt = (position: number) => ([6, 40].includes(position) ? 'rule_2' : 'rule_1');
  const minute = (position: number) => new Date(NOW.getTime() + position * 60_000);
  const all = Array.from({ length: 50 }, (_, at) => ({
    ...matchAt(at, `story ${at}`),
    ruleId: ruleAt(at),
    createdAt: minute(at),
  }));
  const reads: number[] = [];
  const outbox = {
    wakeStories: async () => new Map(),
    matchesAfter: async ({ after, ruleId }: { after: number; ruleId: string }) => {
      reads.push(after);
      return { matches: all.filter((match) => match.position > after && match.ruleId === ruleId).slice(0, 1) };
    },
  };
  const wake = { per: 'match', when: { without: 'rule_2', within: 5 * 60_000 } } as const;
  const write = (waking: readonly Match[]) => ({ text: '', matches: waking.length });
  const { positions } = await wakeBatch(outbox, { ...webhook, wake }, all, { at: NOW, silences: [], write });
  expect(positions).toEqual(
    all.map(({ position }) => position).filter((at) => at < 1 || (at > 6 && at < 35) || at > 40),
  );
  expect(reads).toEqual([0, 6, 40]);
});

it('without a contract sends what no silence covers, and holds for one silence at a time', async () => {
  const silence = (id: string, storyId: string, minutes: number): Silence => ({
    id,
    accountId: 'acct_1',
    storyId,
    until: new Date(NOW.getTime() + minutes * 60_000),
    reason: '',
    createdAt: NOW,
    by: { kind: 'system' },
  });
  const owed = ['a', 'b', 'a', 'c', 'b'].map((story, index) => matchAt(index, story));
  const silences = [silence('short', 'a', 5), silence('long', 'c', 60), silence('longer', 'a', 90)];
  const write = (waking: readonly Match[]) => ({ text: 'body', matches: waking.length });
  const { wake: _, ...plain } = webhook;
  const outbox = { wakeStories: async () => new Map(), matchesAfter: async () => ({ matches: [] }) };
  const batch = await wakeBatch(outbox, plain, owed, { at: NOW, silences, write });
  expect(batch.positions).toEqual([1]);
  expect(batch.wake?.held).toEqual([0, 2].map((position) => ({ position, story: 'a', silence: 'longer' })));
  expect(batch.wake?.digest).toMatchObject({ silence: 'longer', dueAt: silences[2]!.until });
});
