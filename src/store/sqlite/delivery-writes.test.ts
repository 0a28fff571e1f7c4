/** How many rows a push and a delivery write, with a backlog and without: what is counted is what the disk is asked for. */
import { expect, it } from 'vitest';
import { accountNamed, at, eventOf, range, ruleOf } from '../../../test/conformance/store/stage.ts';
import { webhookOf } from '../../../test/conformance/store/webhooks.ts';
import { storeOnConnection } from '../sqlite.ts';
import type { AttemptRecord } from '../store.ts';
import { connectInMemory } from './migrate.ts';
import { sqlOf } from './sql.ts';

const [OWED, MANY] = [100, 1_000];
const LATER = at(60_000);
const healthy = { lastFailureAt: undefined, failingSince: undefined };

async function open() {
  const db = connectInMemory();
  const sql = sqlOf(db);
  const store = storeOnConnection(db, { recent: { events: 10_000, bytes: 1e8 } });
  const account = accountNamed('one');
  const rule = ruleOf(account);
  const webhook = webhookOf(account);
  await store.addAccount(account);
  await store.addRule(rule, {});
  await store.addWebhook(webhook, 1);
  const written = async (work: () => Promise<unknown>): Promise<number> => {
    const rows = () => sql.row<{ rows: number }>('SELECT total_changes() AS rows')!.rows;
    const before = rows();
    await work();
    return rows() - before;
  };
  const push = (name: string, events: number) =>
    store.commit({
      platform: 'x',
      at: at(0),
      events: range(events).map((index) => eventOf(`${name} ${index}`, [rule])),
    });
  const freeze = async (id: string) => {
    const positions = (await store.owedMatches(webhook.id, LATER, OWED)).map(({ position }) => position);
    return store.freeze({ id, webhookId: webhook.id, positions, body: 'body', at: LATER });
  };
  const record = (deliveryId: string, health: AttemptRecord['health'] = healthy) =>
    store.recordAttempt({
      deliveryId,
      attempt: { at: LATER, milliseconds: 5, statusCode: 200, error: undefined, response: 'ok' },
      outcome: { status: 'delivered' },
      health,
      recovered: false,
      disable: undefined,
      notices: [],
    });
  return { push, freeze, record, written };
}

it('a push writes the same rows whether or not thousands of matches wait and are delivered', async () => {
  const { push, freeze, record, written } = await open();
  await push('warm', 1);
  const alone = await written(() => push('alone', 1));
  await push('many', MANY);
  // The commit after those that fill the log of stories stores their book.
  await push('book', 1);
  await freeze('dlv one');
  const among = await written(() => push('among', 1));
  await record('dlv one');
  expect([among, await written(() => push('after', 1))]).toEqual([alone, alone]);
});

it('a delivery writes itself, its matches and its attempt, and its webhook when that does better or worse', async () => {
  const { push, freeze, record, written } = await open();
  await push('many', MANY);
  expect(await written(() => freeze('dlv one'))).toBe(1 + OWED);
  expect(await written(() => record('dlv one'))).toBe(2);
  await freeze('dlv two');
  const failing = { lastFailureAt: LATER, failingSince: LATER };
  expect(await written(() => record('dlv two', failing))).toBe(3);
  await freeze('dlv three');
  expect(await written(() => record('dlv three', failing))).toBe(2);
  await freeze('dlv four');
  expect(await written(() => record('dlv four'))).toBe(3);
});
