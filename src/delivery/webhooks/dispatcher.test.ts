/** The dispatcher over rows in memory, with a receiver that answers as a test says. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import type { Webhook } from '../../domain/webhook.ts';
import { createDispatcher } from './dispatcher.ts';
import type { AttemptEntry, Outbox, OwedToWebhook } from './outbox.ts';
import { createSeal } from './seal.ts';
import { failedToSend, type Send } from './sender.ts';

const seal = createSeal(randomBytes(32));

const webhookOf = (id: string, secret = seal.seal('whsec_AAAA')): Webhook => ({
  id,
  accountId: 'one',
  url: 'https://example.com/',
  description: '',
  ruleIds: undefined,
  platforms: undefined,
  events: ['match'],
  format: 'json',
  every: undefined,
  status: 'active',
  reason: undefined,
  createdAt: new Date(0),
  secrets: { current: secret, previous: undefined, previousUntil: undefined },
  health: { lastFailureAt: undefined, failingSince: undefined },
});

/** Each webhook has one delivery that is due now. */
function stand(send: Send, ...given: (Webhook | Partial<Outbox>)[]) {
  const webhooks = given.filter((one) => 'secrets' in one);
  const changed = given.filter((one) => !('secrets' in one));
  const clock = fakeClock();
  const records: AttemptEntry[] = [];
  const owed: OwedToWebhook[] = webhooks.map((webhook) => ({ webhook, owedSince: undefined, owed: 0, pending: 1 }));
  const outbox: Outbox = {
    agenda: async ({ webhookId }) => owed.filter(({ webhook }) => (webhookId ?? webhook.id) === webhook.id),
    claimWebhook: async (_, { holder }) => holder,
    releaseWebhooks: async () => {},
    owedMatches: async () => [],
    freeze: async () => false,
    pendingDeliveries: async (webhookId) =>
      records.some(({ deliveryId }) => deliveryId === `dlv of ${webhookId}`)
        ? []
        : [{ id: `dlv of ${webhookId}`, nextAt: clock.now(), made: 0 }],
    pendingBody: async () => '{}',
    recordAttempt: async (record) => void records.push(record),
    webhooks: async () => webhooks,
    ...changed[0],
  };
  const dispatcher = createDispatcher({
    outbox,
    clock,
    send,
    seal,
    version: '0',
    encode: () => '{}',
    schedule: [5],
    random: () => 0.5,
    log: { warn: () => {} },
    holder: { id: 'us', isGone: () => false },
    onAttempt: () => {},
  });
  dispatcher.start();
  return { clock, records, dispatcher };
}

const answered = { ...failedToSend(''), statusCode: 204, error: undefined };

describe('the dispatcher', () => {
  it('does not count an attempt that it aborted itself against the receiver', async () => {
    let begun = 0;
    const hanging: Send = ({ signal }) => {
      begun++;
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(failedToSend('The attempt was aborted.')), { once: true });
      });
    };
    const { clock, records, dispatcher } = stand(hanging, webhookOf('a'));
    await clock.pass(0);
    expect([begun, dispatcher.inFlight]).toEqual([1, 1]);
    const stopped = dispatcher.stop();
    await clock.pass(3_000);
    await stopped;
    expect([records, dispatcher.inFlight]).toEqual([[], 0]);
  });

  it('reads at most 100 matches and 1 MiB of payload for a batch', async () => {
    const asked: unknown[] = [];
    const { clock, dispatcher } = stand(async () => answered, webhookOf('a'), {
      agenda: async () => [{ webhook: webhookOf('a'), owedSince: new Date(0), owed: 5_000, pending: 0 }],
      owedMatches: async (_, __, ...limits) => {
        asked.push(limits);
        return [];
      },
    });
    await clock.pass(0);
    await dispatcher.stop();
    expect(asked[0]).toEqual([100, 1024 * 1024]);
  });

  it('waits a while for attempts under way when it stops, and counts those', async () => {
    const waiting: (() => void)[] = [];
    const slow: Send = () => new Promise((resolve) => waiting.push(() => resolve(answered)));
    const { clock, records, dispatcher } = stand(slow, webhookOf('a'));
    await clock.pass(0);
    const stopped = dispatcher.stop();
    await clock.pass(2_999);
    for (const answer of waiting) answer();
    await stopped;
    expect(records.map(({ outcome }) => outcome.status)).toEqual(['delivered']);
  });

  it.each([
    ['cut short', seal.seal('whsec_AAAA').slice(0, 8)],
    ['empty', ''],
    ['of another key', createSeal(randomBytes(32)).seal('whsec_AAAA')],
  ])(
    'fails the delivery of a webhook whose secret is %s, with the reason, and delivers the others',
    async (_, secret) => {
      const { clock, records, dispatcher } = stand(
        async () => answered,
        webhookOf('broken', secret),
        webhookOf('whole'),
      );
      await clock.pass(0);
      await dispatcher.stop();
      const of = (webhookId: string) => records.find(({ deliveryId }) => deliveryId === `dlv of ${webhookId}`);
      expect(of('whole')).toMatchObject({ outcome: { status: 'delivered' }, disable: undefined });
      expect(of('broken')).toMatchObject({
        attempt: { statusCode: undefined, error: expect.stringContaining('signing secret') },
        disable: expect.stringContaining('Rotate the secret'),
      });
    },
  );
});
