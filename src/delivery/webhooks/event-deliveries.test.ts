/** Deliveries to agents, from the matches that are owed to the bytes that are frozen. */
import { describe, expect, it } from 'vitest';
import type { Match } from '../../domain/match.ts';
import type { EventSubscription } from '../../domain/webhook.ts';
import {
  agentEventId,
  digestEvent,
  type EventWriter,
  eventBody,
  freezeEvents,
  isControlMessage,
  isSubscribed,
  judgeEvent,
  type SubscribedWebhook,
} from './events.ts';
import type { FrozenBatch } from './outbox.ts';

const NOW = new Date('2026-11-15T08:30:00.000Z');
const until = new Date('2026-11-15T08:30:00.001Z');

const match = (position: number, text = 'lava', storyId = `st_${position}`): Match => ({
  id: `match_${position}`,
  createdAt: new Date(NOW.getTime() + position),
  position,
  platform: 'x',
  platformPostId: String(position),
  ruleId: 'rule_1',
  ruleName: 'Lava',
  ruleVersion: 1,
  payload: { data: { text } },
  highlights: [],
  storyId,
  storyFirst: true,
});

const subscription: EventSubscription = {
  id: 'sub_1',
  event: 'match.created',
  start: 5,
  isBrief: false,
  refreshedAt: NOW,
  expiresAt: NOW,
} as EventSubscription;
const webhook = {
  id: 'hook_1',
  accountId: 'acct_1',
  format: 'mcp',
  subscription,
  wake: undefined,
} as SubscribedWebhook;

const writer: EventWriter = {
  data: ({ id, payload }, { brief }) => (brief ? { id } : { id, payload }),
  digest: ({ match_count }, { id }, { brief }) => (brief ? { id } : { id, match_count, text: 'x'.repeat(match_count) }),
  cursor: (accountId, position) => `${accountId}:${position}`,
};

/** An outbox that notes what the store was asked, and what it took. */
function outboxOf(owed: readonly Match[], { watermark = 0, beginnings = [] as number[], takes = 100 } = {}) {
  const frozen: FrozenBatch[] = [];
  const asked: unknown[][] = [];
  return {
    frozen,
    asked,
    owed: async (...given: unknown[]) => {
      asked.push(['owed', ...given]);
      return [...owed];
    },
    freeze: async (batch: FrozenBatch) => {
      frozen.push(batch);
      return frozen.length <= takes;
    },
    watermark: async () => watermark,
    wakeStories: async () => new Map(),
    dropOwed: async (...given: unknown[]) => void asked.push(['drop', ...given]),
    storyBeginnings: async () => beginnings,
    matchesAfter: async () => ({ matches: [] }),
  };
}
const freeze = (outbox: ReturnType<typeof outboxOf>, of = webhook) =>
  freezeEvents({ outbox, matches: outbox, events: writer }, of, { until, now: NOW, bytes: 1_000, silences: [] });

describe('what is owed to an agent', () => {
  it('becomes a delivery for each match, under an id that follows from it, with the cursor before all of them', async () => {
    const outbox = outboxOf([match(11), match(12)], { watermark: 9 });
    expect(await freeze(outbox)).toBe(true);
    expect(outbox.asked).toEqual([['owed', 'hook_1', until, 20, 1_000]]);
    expect(outbox.frozen).toEqual(
      [match(11), match(12)].map((one) => ({
        id: agentEventId('sub_1', one.createdAt, one.id),
        webhookId: 'hook_1',
        positions: [one.position],
        at: NOW,
        body: JSON.stringify({
          eventId: agentEventId('sub_1', one.createdAt, one.id),
          name: 'match.created',
          timestamp: one.createdAt.toISOString(),
          data: { id: one.id, payload: one.payload },
          cursor: 'acct_1:9',
        }),
      })),
    );
    const early = outboxOf([match(11)]);
    await freeze(early);
    expect(early.frozen[0]!.body).toContain('"cursor":"acct_1:5"');
  });

  it('is nothing when nothing is owed, and is left when the rows have changed', async () => {
    expect(await freeze(outboxOf([]))).toBe(false);
    const changed = outboxOf([match(1), match(2), match(3)], { takes: 1 });
    expect([await freeze(changed), changed.frozen.length]).toEqual([false, 2]);
  });

  it('is told briefly where the agent asked for that, and where the whole is over 256 KiB', async () => {
    const brief = outboxOf([match(1)]);
    await freeze(brief, { ...webhook, subscription: { ...subscription, isBrief: true } });
    expect(JSON.parse(brief.frozen[0]!.body)).toMatchObject({ data: { id: 'match_1' } });
    expect(brief.frozen[0]!.body).not.toContain('payload');
    const size = (text: string) =>
      Buffer.byteLength(
        eventBody(subscription, {
          id: agentEventId('sub_1', match(1).createdAt, 'match_1'),
          at: match(1).createdAt,
          data: writer.data(match(1, text), { brief: false }),
          cursor: 'acct_1:5',
        }),
      );
    const most = 256 * 1024 - size('');
    for (const [length, isWhole] of [
      [most, true],
      [most + 1, false],
    ] as const) {
      const outbox = outboxOf([match(1, 'x'.repeat(length))]);
      await freeze(outbox);
      expect(outbox.frozen[0]!.body.includes('payload')).toBe(isWhole);
    }
  });

  it('of stories is the first match of each; the others are owed no more', async () => {
    const stories = { ...webhook, subscription: { ...subscription, event: 'story.created' as const } };
    const outbox = outboxOf([match(1), match(2), match(3)], { beginnings: [2] });
    expect(await freeze(outbox, stories)).toBe(true);
    expect(outbox.asked.slice(1)).toEqual([['drop', 'hook_1', [1, 3]]]);
    expect(outbox.frozen.map(({ positions }) => positions)).toEqual([[2]]);
    const none = outboxOf([match(1)], { beginnings: [] });
    expect([await freeze(none, stories), none.frozen]).toEqual([true, []]);
    const all = outboxOf([match(1)], { beginnings: [1] });
    await freeze(all, stories);
    expect(all.asked).toHaveLength(1);
  });

  it('under a wake contract is one event that wakes, and what is held with it', async () => {
    const waking = { ...webhook, wake: { per: 'story' as const } } as SubscribedWebhook;
    const outbox = outboxOf([match(1, 'a', 'st_1'), match(2, 'b', 'st_1'), match(3, 'c', 'st_2')]);
    expect(await freeze(outbox, waking)).toBe(true);
    expect(outbox.asked[0]).toEqual(['owed', 'hook_1', until, 100, 1_000]);
    expect(outbox.frozen).toMatchObject([
      {
        id: agentEventId('sub_1', match(1).createdAt, 'match_1'),
        webhookId: 'hook_1',
        at: NOW,
        positions: [1],
        wake: { held: [{ position: 2, story: 'st_1' }] },
      },
    ]);
  });
});

describe('a digest for an agent', () => {
  const write = (match_count: number, isBrief = false) =>
    digestEvent(
      { watermark: async () => 7 },
      writer,
      { ...webhook, subscription: { ...subscription, isBrief } },
      {
        id: 'dlv_1',
        digest: { match_count } as Parameters<EventWriter['digest']>[0],
        newest: match(9),
      },
    );

  it('is an event of the newest match, with the cursor that was reached', async () => {
    expect(JSON.parse(await write(2))).toEqual({
      eventId: 'dlv_1',
      name: 'match.created',
      timestamp: match(9).createdAt.toISOString(),
      data: { id: 'match_9', match_count: 2, text: 'xx' },
      cursor: 'acct_1:7',
    });
  });

  it('is brief where the agent asked for that, and where the whole is over 256 KiB', async () => {
    expect(JSON.parse(await write(2, true))).toMatchObject({ data: { id: 'match_9' } });
    expect((await write(2, true)).includes('match_count')).toBe(false);
    expect((await write(256 * 1024)).includes('match_count')).toBe(false);
    expect((await write(255 * 1024)).includes('match_count')).toBe(true);
  });
});

describe('small things of agents', () => {
  it('are told apart: subscriptions, and messages that are no events', () => {
    const plain = { ...webhook, subscription: undefined } as unknown as Parameters<typeof isSubscribed>[0];
    expect([isSubscribed(webhook), isSubscribed(plain)]).toEqual([true, false]);
    expect([isControlMessage('msg_1'), isControlMessage('evt_msg_1')]).toEqual([true, false]);
  });

  it('have an id for each subscription and subject, and the same for the same', () => {
    const id = agentEventId('sub_1', NOW, 'match_1');
    expect(id).toMatch(/^evt_/);
    expect(agentEventId('sub_1', NOW, 'match_1')).toBe(id);
    expect(agentEventId('sub_2', NOW, 'match_1')).not.toBe(id);
    expect(agentEventId('sub_1', NOW, 'match_2')).not.toBe(id);
  });

  it('fail from when they first failed, and are working again after a refusal', () => {
    const context = { before: 0, now: NOW, random: 0.5, schedule: [2, 15], isControl: true };
    const sent = (statusCode: number) => ({
      statusCode,
      error: `The receiver answered ${statusCode}.`,
      response: '',
      overloaded: false,
      retryAfter: undefined,
    });
    const failing = { lastFailureAt: NOW, failingSince: new Date(0) };
    const calm = { lastFailureAt: undefined, failingSince: undefined };
    expect(judgeEvent(sent(500), { ...context, health: failing }).health).toEqual(failing);
    expect(judgeEvent(sent(500), { ...context, health: calm }).health).toEqual({
      lastFailureAt: NOW,
      failingSince: undefined,
    });
    for (const status of [400, 499])
      expect(judgeEvent(sent(status), { ...context, health: failing })).toEqual({
        outcome: { status: 'failed', reason: `The receiver answered ${status}: it does not take this event.` },
        health: calm,
        recovered: true,
        disable: undefined,
        shorten: false,
      });
    expect(judgeEvent(sent(410), { ...context, health: calm }).recovered).toBe(false);
    for (const status of [399, 500])
      expect(judgeEvent(sent(status), { ...context, health: calm }).outcome.status).toBe('pending');
  });
});
