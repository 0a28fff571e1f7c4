/** The clock of a node that is off changes nothing for the others: PostgreSQL's own decides. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountNamed } from '../../../test/conformance/store/stage.ts';
import { webhookOf } from '../../../test/conformance/store/webhooks.ts';
import { startPostgresWithTables, type TestPostgres } from '../../../test/stages/postgres.ts';
import { openPostgres } from '../postgres.ts';

let server: TestPostgres | undefined;
beforeAll(async () => {
  server = await startPostgresWithTables();
});
afterAll(() => server?.[Symbol.asyncDispose]());

const MINUTE = 60_000;
const off = (milliseconds: number) => new Date(Date.now() + milliseconds);

describe.each([
  ['ahead', off(2 * MINUTE)],
  ['behind', off(-2 * MINUTE)],
])('a node whose clock is two minutes %s', (_, wrong) => {
  it('is present for the others as long as it says, and sees them', async () => {
    await using store = await openPostgres(await server!.newDatabase());
    const told = await store.reportNode({ id: 'off', roles: ['api'], applied: 1 }, wrong, MINUTE);
    await store.reportNode({ id: 'right', roles: ['api'], applied: 1 }, off(0), MINUTE);
    for (const now of [wrong, off(0)]) expect((await store.nodes(now)).map(({ id }) => id)).toEqual(['off', 'right']);
    expect(Math.abs(told.getTime() - wrong.getTime())).toBeGreaterThan(MINUTE);
  });

  it('neither takes a lease or a webhook from another, nor keeps one for longer', async () => {
    await using store = await openPostgres(await server!.newDatabase());
    const account = accountNamed('one');
    const webhook = webhookOf(account);
    await store.addAccount(account);
    await store.addWebhook(webhook, 10);
    const lease = (holder: string, now: Date, milliseconds = MINUTE) =>
      store.takeLease({ name: 'x', holder, now, milliseconds });
    const claim = (holder: string, now: Date, milliseconds = MINUTE) =>
      store.claimWebhook(webhook.id, { holder, now, until: new Date(now.getTime() + milliseconds) });
    await lease('right', off(0));
    await claim('right', off(0));
    expect([await lease('off', wrong), await claim('off', wrong)]).toEqual([{ heldBy: 'right' }, 'right']);
    await lease('right', off(0), -1);
    await claim('right', off(0), -1);
    expect([await lease('off', wrong, -1), await claim('off', wrong, -1)]).toMatchObject([{ fence: 2 }, 'off']);
    expect([await lease('right', off(0)), await claim('right', off(0))]).toMatchObject([{ fence: 3 }, 'right']);
  });
});
