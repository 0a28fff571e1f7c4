/** The dispatcher over rows in memory, with a receiver that answers as a test says. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import type { Match } from '../../domain/match.ts';
import type { DueDelivery, Webhook } from '../../domain/webhook.ts';
import { createDispatcher, type DispatcherDeps } from './dispatcher.ts';
import type { AttemptEntry, Outbox, OwedMatches, OwedToWebhook } from './outbox.ts';
import { createSeal } from './seal.ts';
import { failedToSend, type Send } from './transport.ts';

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

type Change = Partial<Outbox & OwedMatches & Pick<DispatcherDeps, 'keyFits'>>;

/** Each webhook has one delivery that is due now. */
function stand(send: Send, ...given: (Webhook | Change)[]) {
  const webhooks = given.filter((one) => 'secrets' in one);
  const [changed = {}] = given.filter((one): one is Change => !('secrets' in one));
  const clock = fakeClock();
  const records: AttemptEntry[] = [];
  const logged: string[] = [];
  const owed: OwedToWebhook[] = webhooks.map((webhook) => ({ webhook, owedSince: undefined, owed: 0, pending: 1 }));
  const outbox: Outbox = {
    agenda: async ({ webhookId }) => owed.filter(({ webhook }) => (webhookId ?? webhook.id) === webhook.id),
    claimWebhook: async (_, { holder }) => holder,
    releaseWebhooks: async () => {},
    freeze: async () => false,
    wakeStories: async () => new Map(),
    silences: async () => [],
    matchesAfter: async () => ({ matches: [] }),
    closeDigest: async () => [],
    sealDigest: async () => false,
    pendingDeliveries: async (webhookId) =>
      records.some(({ deliveryId }) => deliveryId === `dlv of ${webhookId}`)
        ? []
        : [{ id: `dlv of ${webhookId}`, nextAt: clock.now(), made: 0 }],
    pendingBody: async () => '{}',
    writeAnew: async () => {},
    offerWake: async () => {},
    unacknowledged: async () => [],
    expireWake: async () => {},
    offerAgain: async () => {},
    recordAttempt: async (record) => void records.push(record),
    dropOwed: async () => {},
    storyBeginnings: async () => [],
    endSubscription: async () => true,
    watermark: async () => 0,
    webhooks: async () => webhooks,
    ...changed,
  };
  const dispatcher = createDispatcher({
    outbox,
    matches: { owed: async () => [], at: async () => [], ...changed },
    clock,
    send,
    seal,
    version: '0',
    encode: () => '{}',
    events: { data: () => ({}), digest: () => ({}), cursor: () => '' },
    schedule: [5],
    eventSchedule: [5],
    keyFits: changed.keyFits ?? (async () => true),
    random: () => 0.5,
    log: { warn: (_: object, line: string) => void logged.push(line) },
    holder: { id: 'us', isGone: () => false },
    onAttempt: () => {},
  });
  dispatcher.start();
  return { clock, records, logged, dispatcher };
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

  it('ends a subscription by the present time, and goes on with one that was refreshed since it was read', async () => {
    const over = new Date('2026-11-15T08:30:00Z');
    const later = new Date('2026-11-16T08:30:00Z');
    const subscribed = (expiresAt: Date): Webhook => ({
      ...webhookOf('a'),
      subscription: {
        id: 'sub_1',
        ownerId: 'key_1',
        event: 'match.created',
        arguments: '{}',
        start: 0,
        expiresAt,
        verifiedAt: over,
        refreshedAt: over,
        isBrief: false,
      },
    });
    const asked: Date[] = [];
    const { clock, records, dispatcher } = stand(async () => answered, {
      agenda: async () => [
        { webhook: subscribed(asked.length === 0 ? over : later), owedSince: undefined, owed: 0, pending: 1 },
      ],
      endSubscription: async (_id, _reason, _note, expiredBy) => {
        asked.push(expiredBy);
        return false;
      },
    });
    await clock.pass(100);
    await dispatcher.stop();
    expect([asked, records.length]).toEqual([[over], 1]);
  });

  it('sends what a clock that was a month ahead had put off, at its receiver’s pace, and tells how long it took', async () => {
    const sent: Date[] = [];
    const due = [1, 2].map((number) => ({ id: `dlv ${number}`, nextAt: new Date('2026-12-18T08:30:00Z'), made: 0 }));
    const { clock, records, dispatcher } = stand(
      async () => {
        sent.push(clock.now());
        await clock.sleep(40);
        if (sent.length === 1) clock.set(-3_600_000);
        return answered;
      },
      { ...webhookOf('a'), format: 'teams' },
      {
        pendingDeliveries: async () => due.filter(({ id }) => !records.some(({ deliveryId }) => deliveryId === id)),
      },
    );
    await clock.pass(2_000);
    await dispatcher.stop();
    expect(sent).toEqual([new Date('2026-11-15T08:30:00Z'), new Date('2026-11-15T07:30:01Z')]);
    expect(records.map(({ attempt }) => attempt.milliseconds)).toEqual([40, 40]);
  });

  it('leaves a webhook whose secret another key has sealed to the nodes that have that key', async () => {
    const elsewhere = createSeal(randomBytes(32)).seal('whsec_AAAA');
    let asked = 0;
    // The key is the right one when it is asked for the third time.
    const keyFits = async () => ++asked > 2;
    const { clock, records, dispatcher } = stand(async () => answered, webhookOf('a', elsewhere), { keyFits });
    await clock.pass(500);
    expect([records, asked]).toEqual([[], 1]);
    await clock.pass(60_000);
    expect(records).toMatchObject([{ disable: expect.stringContaining('cannot read') }]);
    await dispatcher.stop();
  });

  it('reads at most 100 matches and 1 MiB of payload for a batch', async () => {
    const asked: unknown[] = [];
    const { clock, dispatcher } = stand(async () => answered, webhookOf('a'), {
      agenda: async () => [{ webhook: webhookOf('a'), owedSince: new Date(0), owed: 5_000, pending: 0 }],
      owed: async (_, __, ...limits) => {
        asked.push(limits);
        return [];
      },
    });
    await clock.pass(0);
    await dispatcher.stop();
    expect(asked[0]).toEqual([100, 1024 * 1024]);
  });

  it('writes no more deliveries than a slow receiver is sent next, and reads the rows once for each that ends', async () => {
    const pending: DueDelivery[] = [];
    const reads = { agenda: 0, pendingDeliveries: 0, owed: 0 };
    const waiting: (() => void)[] = [];
    const owed = [{ position: 1 } as Match];
    const webhook = webhookOf('a');
    const { clock, dispatcher } = stand(
      () => new Promise((resolve) => waiting.push(() => resolve(answered))),
      webhook,
      {
        async agenda() {
          reads.agenda++;
          return [{ webhook, owedSince: new Date(0), owed: 100, pending: pending.length }];
        },
        async pendingDeliveries(_, limit) {
          reads.pendingDeliveries++;
          return pending.slice(0, limit);
        },
        async owed() {
          reads.owed++;
          return owed;
        },
        freeze: async ({ id, at }) => pending.push({ id, nextAt: at, made: 0 }) > 0,
        recordAttempt: async ({ deliveryId }) =>
          void pending.splice(
            pending.findIndex(({ id }) => id === deliveryId),
            1,
          ),
      },
    );
    await clock.pass(10);
    expect([pending.length, waiting.length]).toEqual([8, 4]);
    const before = { ...reads };
    for (const answer of waiting.splice(0)) {
      answer();
      await clock.pass(0);
    }
    expect([pending.length, waiting.length]).toEqual([8, 4]);
    for (const name of ['agenda', 'pendingDeliveries', 'owed'] as const)
      expect(`${name} ${reads[name] - before[name]}`).toBe(`${name} 4`);
    const stopped = dispatcher.stop();
    for (const answer of waiting) answer();
    await stopped;
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

  it('stores an attempt later when the store fails, and does not send it again', async () => {
    let [sent, failures] = [0, 2];
    const stored: AttemptEntry[] = [];
    const { clock, dispatcher } = stand(
      async () => {
        sent++;
        return answered;
      },
      webhookOf('a'),
      {
        pendingDeliveries: async () => (stored.length > 0 ? [] : [{ id: 'dlv', nextAt: new Date(0), made: 0 }]),
        async recordAttempt(entry) {
          if (failures-- > 0) throw new Error('The disk is full.');
          stored.push(entry);
        },
      },
    );
    await clock.pass(1_999);
    expect([sent, stored.length]).toEqual([1, 0]);
    await clock.pass(1);
    expect([sent, stored.length]).toEqual([1, 1]);
    await dispatcher.stop();
  });

  it('delivers for a webhook that found no free slot as soon as one is free', async () => {
    const waiting: (() => void)[] = [];
    const slow: Send = () => new Promise((resolve) => waiting.push(() => resolve(answered)));
    const webhooks = Array.from({ length: 65 }, (_, index) => webhookOf(`hook ${index}`));
    const { clock, dispatcher, records } = stand(slow, ...webhooks);
    await clock.pass(0);
    expect([waiting.length, dispatcher.inFlight]).toEqual([64, 64]);
    waiting[0]!();
    await clock.pass(0);
    expect([waiting.length, records.length]).toEqual([65, 1]);
    for (const answer of waiting) answer();
    await clock.pass(0);
    await dispatcher.stop();
    expect(records).toHaveLength(65);
  });

  it.each([
    ['read the bytes of a delivery', 'pendingBody', undefined],
    ['forget bytes that are for another kind of receiver', 'writeAnew', 'slack'],
  ])('rests for a second when the store fails to %s, and says so', async (_, step, madeFor) => {
    let tries = 0;
    const { clock, logged, dispatcher } = stand(async () => answered, webhookOf('a'), {
      pendingDeliveries: async () => [{ id: 'dlv', nextAt: new Date(0), made: 0, ...(madeFor && { madeFor }) }],
      [step]: async () => {
        tries++;
        throw new Error('The store is away.');
      },
    });
    await clock.pass(0);
    await clock.pass(999);
    expect([tries, logged]).toEqual([1, ['A delivery cannot be attempted. Retrying in one second.']]);
    await clock.pass(1);
    expect(tries).toBe(2);
    await dispatcher.stop();
  });

  it('looks again after a second when the store cannot say what is owed', async () => {
    let failures = 1;
    const { clock, records, dispatcher } = stand(async () => answered, webhookOf('a'), {
      agenda: async () => {
        if (failures-- > 0) throw new Error('The database is away.');
        return [{ webhook: webhookOf('a'), owedSince: undefined, owed: 0, pending: 1 }];
      },
    });
    await clock.pass(999);
    expect(records).toEqual([]);
    await clock.pass(1);
    expect(records).toHaveLength(1);
    await dispatcher.stop();
  });

  it('leaves a webhook to the process that holds it, and looks again when the claim must have ended', async () => {
    let holder = 'other';
    const { clock, records, dispatcher } = stand(async () => answered, webhookOf('a'), {
      claimWebhook: async () => holder,
    });
    await clock.pass(39_999);
    holder = 'us';
    expect(records).toEqual([]);
    await clock.pass(1);
    expect(records).toHaveLength(1);
    await dispatcher.stop();
  });

  it('sends one delivery at a time to a webhook that fails, and four to one that works', async () => {
    const begun = async (health: Webhook['health']) => {
      const seen: string[] = [];
      const { clock, dispatcher } = stand(
        ({ headers, signal }) => {
          seen.push(headers['webhook-id']!);
          return new Promise((resolve) => {
            signal.addEventListener('abort', () => resolve(failedToSend('')), { once: true });
          });
        },
        { ...webhookOf('a'), health },
        {
          pendingDeliveries: async (_, limit) =>
            Array.from({ length: 9 }, (__, index) => ({ id: `dlv ${index}`, nextAt: new Date(0), made: 0 })).slice(
              0,
              limit,
            ),
        },
      );
      await clock.pass(0);
      const stopped = dispatcher.stop();
      await clock.pass(3_000);
      await stopped;
      return seen;
    };
    expect(await begun({ lastFailureAt: undefined, failingSince: undefined })).toEqual([
      'dlv 0',
      'dlv 1',
      'dlv 2',
      'dlv 3',
    ]);
    expect(await begun({ lastFailureAt: new Date(0), failingSince: new Date(0) })).toEqual(['dlv 0']);
  });

  it('waits for the time that a delivery is to be tried again', async () => {
    const made: number[] = [];
    const { clock, dispatcher } = stand(
      async () => {
        made.push(clock.now().getTime());
        return failedToSend('The connection was refused.');
      },
      webhookOf('a'),
      {
        pendingDeliveries: async () =>
          made.length > 1
            ? []
            : [
                {
                  id: 'dlv',
                  nextAt: new Date(Date.parse('2026-11-15T08:30:00.000Z') + made.length * 5_000),
                  made: made.length,
                },
              ],
      },
    );
    await clock.pass(4_999);
    expect(made).toHaveLength(1);
    await clock.pass(1);
    expect(made).toHaveLength(2);
    await dispatcher.stop();
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
