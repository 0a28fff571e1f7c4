import { describe, expect, it } from 'vitest';
import { newId } from '../../base/ids.ts';
import type { SubscribedWebhook } from '../../delivery/webhooks/events.ts';
import type { Alert } from '../../domain/rule.ts';
import { positionAt } from '../../store/order.ts';
import type { NoticeReads, NoticeStore } from './gap-events.ts';
import { alertEvents } from './notice-events.ts';

const NOW = Date.parse('2026-11-15T08:30:00.000Z');
const HOUR = 3_600_000;
const ago = (hours: number) => new Date(NOW - hours * HOUR);

const alert = (foundAgo: number, change: Partial<Alert> = {}): Alert => ({
  id: newId('alert', ago(foundAgo)),
  accountId: 'a',
  ruleId: 'r',
  ruleName: 'n',
  platform: 'x',
  kind: 'surge',
  from: ago(foundAgo + 1),
  to: undefined,
  rate: 9,
  usualRate: 1,
  ...change,
});

async function told(alerts: readonly Alert[], change: object = {}, startAgo = 48) {
  const asked: unknown[] = [];
  const alertsOf = async (query: unknown) => {
    asked.push(query);
    return { alerts };
  };
  const store = { alerts: alertsOf } as unknown as NoticeStore;
  const reads: NoticeReads = (key, read) => {
    asked.push(key);
    return read();
  };
  const subscription = { id: 's', event: 'alert.opened', arguments: '{}', start: positionAt(NOW - startAgo * HOUR) };
  const webhook = { id: 'w', accountId: 'a', ...change, subscription } as unknown as SubscribedWebhook;
  const events = (await alertEvents(store, webhook, reads, new Date(NOW))).map(({ body, ...event }) => ({
    ...event,
    body: body('c'),
  }));
  return { asked, events, ids: events.map(({ body }) => JSON.parse(body).data.alert_id as string) };
}

describe('alerts for agents', () => {
  it('are those that were found within a day', async () => {
    const alerts = [alert(23.999), alert(24), alert(25)];
    expect((await told(alerts)).ids).toEqual([alerts[0]!.id]);
  });

  it('are those that were found after the subscription began, whenever they began', async () => {
    const alerts = [alert(1.9), alert(2), alert(3)];
    expect((await told(alerts, {}, 2)).ids).toEqual([alerts[0]!.id]);
  });

  it('of an id that tells no time are as old as their beginning', async () => {
    const [young, old] = [alert(0, { id: 'young', from: ago(23) }), alert(0, { id: 'old', from: ago(24) })];
    const { ids, events } = await told([young, old]);
    expect(ids).toEqual(['young']);
    expect(JSON.parse(events[0]!.body)).toMatchObject({
      timestamp: ago(23).toISOString(),
      data: { alert_id: 'young' },
    });
  });

  it('are of the rules and platforms that the subscriber wants', async () => {
    const alerts = [alert(1, { ruleId: 'r1' }), alert(2, { ruleId: 'r2', platform: 'firehose' })];
    const [first, second] = alerts.map(({ id }) => id);
    expect((await told(alerts)).ids).toEqual([first, second]);
    expect((await told(alerts, { ruleIds: ['r2'] })).ids).toEqual([second]);
    expect((await told(alerts, { platforms: ['x'] })).ids).toEqual([first]);
    expect((await told(alerts, { ruleIds: ['r1'], platforms: ['firehose'] })).ids).toEqual([]);
  });

  it('are the hundred newest of the account, read once for all of its subscribers', async () => {
    const { asked, events } = await told([alert(1)]);
    expect(asked).toEqual(['alerts a', { accountId: 'a', limit: 100 }]);
    expect(events[0]).toMatchObject({ webhookId: 'w', id: JSON.parse(events[0]!.body).eventId });
  });
});
