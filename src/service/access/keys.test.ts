import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { openService } from '../../../test/stages/service.ts';
import { StoreError } from '../../store/error.ts';
import { openSqlite } from '../../store/sqlite.ts';
import { operations } from '../operations.ts';
import { authenticate, authenticateWithoutStore, createCallers, ensureFirstKey, newSecret } from './keys.ts';
import { authenticateSession } from './sessions.ts';

async function stage() {
  const clock = fakeClock();
  const test = await openService({ clock });
  return Object.assign(test, { clock, alice: await test.caller('alice') });
}

const refused = {
  code: 'unauthenticated',
  message: 'A valid API key is needed, as the header "Authorization: Bearer <API_KEY>".',
  details: {},
};

describe('keys', () => {
  it('have their looks', () => {
    expect(newSecret()).toMatch(/^sk_[0-9A-Za-z]{38}$/);
    expect(newSecret()).not.toBe(newSecret());
  });

  it('are known again; others are refused, and what is no whole key is told so', async () => {
    await using test = await stage();
    const { key } = await test.call(test.alice, 'createKey', { name: 'mine' });
    const { context } = test.service;
    expect((await authenticate(context, key)).account.name).toBe('alice');
    await expect(authenticate(context, newSecret())).rejects.toMatchObject(refused);
    const mistyped = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;
    for (const mangled of [mistyped, key.toLowerCase()])
      await expect(authenticate(context, mangled)).rejects.toMatchObject({
        code: 'unauthenticated',
        message: expect.stringContaining('not a whole API key'),
      });
    const { code, details } = refused;
    for (const wrong of ['', ' ', 'sk_', `${key} `, 'ü'.repeat(41), 'x'.repeat(100_000)])
      await expect(authenticate(context, wrong)).rejects.toMatchObject({ code, details });
    const strange = fc.asyncProperty(fc.string(), async (wrong) => {
      await expect(authenticate(context, wrong)).rejects.toMatchObject({ code, details });
    });
    await fc.assert(strange, { numRuns: 50 });
  });

  it('are stored as digests, shown by their end', async () => {
    await using test = await stage();
    const made = await test.call(test.alice, 'createKey', { name: 'mine', scope: 'read' });
    const { keys } = await test.call(test.alice, 'listKeys');
    expect(JSON.stringify(keys)).not.toContain(made.key);
    expect(keys.find(({ id }) => id === made.id)).toEqual({
      id: made.id,
      name: 'mine',
      scope: 'read',
      last_four: made.key.slice(-4),
      created_at: made.created_at,
      last_used_at: null,
      expires_at: null,
    });
  });

  it('expire and are revoked at once', async () => {
    await using test = await stage();
    const { context } = test.service;
    const short = await test.call(test.alice, 'createKey', { name: 'short', expires_at: '2026-11-15T08:31:00Z' });
    const other = await test.call(test.alice, 'createKey', { name: 'other' });
    await authenticate(context, short.key);
    await test.clock.pass(60_000);
    await expect(authenticate(context, short.key)).rejects.toMatchObject(refused);
    expect(await test.call(test.alice, 'revokeKey', { key_id: other.id })).toEqual({});
    await expect(authenticate(context, other.key)).rejects.toMatchObject(refused);
    await expect(test.call(test.alice, 'revokeKey', { key_id: other.id })).rejects.toMatchObject({ code: 'not_found' });
    const late = test.call(test.alice, 'createKey', { name: 'late', expires_at: '2026-11-15T08:00:00Z' });
    await expect(late).rejects.toMatchObject({
      code: 'invalid_argument',
      details: { issues: [{ path: 'expires_at' }] },
    });
  });

  it('remember their last use to the hour', async () => {
    await using test = await stage();
    const { key, id } = await test.call(test.alice, 'createKey', { name: 'mine' });
    const lastUse = async () => {
      await test.clock.pass(0);
      return (await test.call(test.alice, 'listKeys')).keys.find((one) => one.id === id)?.last_used_at;
    };
    await authenticate(test.service.context, key);
    expect(await lastUse()).toBe('2026-11-15T08:30:00.000Z');
    await test.clock.pass(59 * 60_000);
    await authenticate(test.service.context, key);
    expect(await lastUse()).toBe('2026-11-15T08:30:00.000Z');
    await test.clock.pass(60_000);
    await authenticate(test.service.context, key);
    expect(await lastUse()).toBe('2026-11-15T09:30:00.000Z');
  });

  it('are a hundred of an account at most, expired ones among them', async () => {
    await using test = await stage();
    for (let made = 1; made < 100; made++) await test.call(test.alice, 'createKey', { name: `${made}` });
    const another = test.call(test.alice, 'createKey', { name: 'one too many' });
    await expect(another).rejects.toMatchObject({
      code: 'resource_exhausted',
      details: { limit_code: 'keys', limit: 100 },
    });
    const { keys } = await test.call(test.alice, 'listKeys');
    await test.call(test.alice, 'revokeKey', { key_id: keys.at(-1)!.id });
    await test.call(test.alice, 'createKey', { name: 'in its place' });
  });

  it('work where nothing can be written', async () => {
    await using test = await stage();
    const { key } = await test.call(test.alice, 'createKey', { name: 'mine' });
    const touchKey = () => Promise.reject(new StoreError('unwritable', 'The disk is full.'));
    const context = { ...test.service.context, store: { ...test.store, touchKey } };
    expect((await authenticate(context, key)).key.name).toBe('mine');
    await test.clock.pass(0);
    expect(test.logged).toEqual(['warn the last use of a key could not be stored']);
  });

  it('of scope ingest are made by the operator alone', async () => {
    await using test = await stage();
    const operator = await test.caller('default');
    await test.call(operator, 'createKey', { name: 'feed', scope: 'ingest' });
    await expect(test.call(test.alice, 'createKey', { name: 'feed', scope: 'ingest' })).rejects.toMatchObject({
      code: 'permission_denied',
    });
  });

  it('may do what their scope allows, and nothing else', async () => {
    await using test = await stage();
    const scopes = {
      full: test.alice,
      read: await test.caller('alice', { scope: 'read' }),
      ingest: await test.caller('default', { scope: 'ingest' }),
    };
    const allowed = { read: ['full', 'read'], full: ['full'], ingest: ['full', 'ingest'], operator: [] as string[] };
    for (const operation of Object.values(operations)) {
      for (const [scope, caller] of Object.entries(scopes)) {
        const code = await test
          .call(caller, operation.name as 'status', { nonsense: true })
          .catch((error: { code: string }) => error.code);
        const expected = allowed[operation.access].includes(scope) ? 'invalid_argument' : 'permission_denied';
        expect([operation.name, scope, code]).toEqual([operation.name, scope, expected]);
      }
    }
  });
});

describe('the first key', () => {
  const now = new Date('2026-11-15T08:30:00Z');

  it('is made at the first start alone', async () => {
    await using store = await openSqlite(':memory:');
    const secret = await ensureFirstKey(store, now, undefined);
    expect(secret).toMatch(/^sk_/);
    expect(await ensureFirstKey(store, now, undefined)).toBeUndefined();
    const account = await store.account('default');
    expect(account).toMatchObject({ plan: 'paid', xRules: 25 });
    expect(await store.keys(account!.id)).toMatchObject([{ scope: 'full' }]);
  });

  it('is that of the node that was faster, when two start at the same time', async () => {
    await using store = await openSqlite(':memory:');
    let asked = 0;
    const late = {
      ...store,
      account: async (name: string) => {
        if (++asked > 1) return store.account(name);
        await ensureFirstKey(store, now, undefined);
        return undefined;
      },
    };
    expect(await ensureFirstKey(late, now, undefined)).toBeUndefined();
    expect([asked, (await store.keys((await store.account('default'))!.id)).length]).toEqual([2, 1]);
    const broken = { ...store, account: () => Promise.reject(new StoreError('away', 'Away.')) };
    await expect(ensureFirstKey(broken, now, undefined)).rejects.toMatchObject({ reason: 'away' });
  });

  it('may be chosen, and another value adds a key', async () => {
    await using test = await stage();
    const { store } = test;
    for (const secret of ['a-known-key-0001', 'a-known-key-0001', 'a-known-key-0002']) {
      expect(await ensureFirstKey(store, now, secret)).toBeUndefined();
      expect((await authenticate(test.service.context, secret)).account.name).toBe('default');
    }
    expect(await store.keys((await store.account('default'))!.id)).toHaveLength(2);
  });
});

describe('sessions', () => {
  it('stand for their key until it, the hour or the day ends', async () => {
    await using test = await stage();
    const { context } = test.service;
    const open = async () => (await test.call(await test.caller('alice', { scope: 'read' }), 'createSession')).session;
    const session = await open();
    expect((await authenticateSession(context, session)).key.scope).toBe('read');
    await expect(authenticateSession(context, 'made-up')).rejects.toMatchObject(refused);

    await test.clock.pass(60 * 60_000);
    await expect(authenticateSession(context, session)).rejects.toMatchObject(refused);

    const busy = await open();
    for (let hour = 0; hour < 23; hour++) {
      await test.clock.pass(30 * 60_000);
      await authenticateSession(context, busy);
    }
    await test.clock.pass(30 * 60_000);
    await expect(authenticateSession(context, busy)).rejects.toMatchObject(refused);

    const last = await open();
    const { key } = await authenticateSession(context, last);
    await test.call(test.alice, 'revokeKey', { key_id: key.id });
    await expect(authenticateSession(context, last)).rejects.toMatchObject(refused);
  });
});

describe('status', () => {
  it('shows an account itself, and the operator the instance', async () => {
    await using test = await stage();
    const operator = await test.caller('default');
    await test.call(operator, 'createRule', { name: 'n', intent: '', platforms: ['x'], overrides: { x: 'storm' } });
    const pushed = test.post(operator, 'storm', 'calm');
    await test.clock.pass(20);
    await pushed;
    const mine = await test.call(test.alice, 'status');
    expect(mine).toMatchObject({
      ready: true,
      version: '0.0.0',
      platforms: {
        x: { shape: 'local', state: 'ready', rules: 0, rule_limit: 25, gaps: [] },
        firehose: { rule_limit: null },
      },
    });
    expect(mine).not.toHaveProperty('instance');
    expect(await test.call(await test.caller('default', { scope: 'read' }), 'status')).not.toHaveProperty('instance');
    expect((await test.call(operator, 'status')).instance?.platforms.x).toMatchObject({
      rules: 1,
      events_per_minute: 2,
      matches_per_minute: 1,
      recent_events: { events: 2, limit: 1_000 },
    });
    await test.clock.pass(61_000);
    expect((await test.call(operator, 'status')).instance?.platforms.x).toMatchObject({ events_per_minute: 0 });
  });

  it('names the rules that every event must be held against', async () => {
    await using test = await stage();
    const rule = { name: 'n', intent: '', platforms: ['firehose'], overrides: { firehose: 'dr:[50 TO 100]' } };
    const { rule_id } = await test.call(test.alice, 'createRule', rule);
    expect((await test.call(test.alice, 'status')).platforms.firehose?.slow_rules).toMatchObject([{ rule_id }]);
    expect((await test.call(await test.caller('bob'), 'status')).platforms.firehose?.slow_rules).toEqual([]);
  });
});

describe('a push that needs no store', () => {
  async function awayStage() {
    const test = await stage();
    const { key } = await test.call(test.alice, 'createKey', { name: 'mine' });
    const state: { trouble: 'store_away' | undefined; accessVersion: () => Promise<number> } = {
      trouble: undefined,
      accessVersion: () => test.store.accessVersion(),
    };
    const store = { ...test.store, accessVersion: () => state.accessVersion() };
    const nodes = {
      get trouble() {
        return state.trouble;
      },
    };
    const context = { ...test.service.context, store, nodes, callers: createCallers(store) };
    return { test, key, state, ask: (secret: string) => authenticateWithoutStore(context, secret) };
  }

  it('knows its caller while the store is away, by what it said last', async () => {
    const { test, key, state, ask } = await awayStage();
    expect((await ask(key)).account.name).toBe('alice');
    state.accessVersion = () => Promise.reject(new StoreError('away', 'The store is away.'));
    expect((await ask(key)).account.name).toBe('alice');
    state.accessVersion = () => new Promise(() => {});
    const asked = ask(key);
    await test.clock.pass(1_000);
    expect((await asked).account.name).toBe('alice');
    state.trouble = 'store_away';
    expect((await ask(key)).account.name).toBe('alice');
    await test[Symbol.asyncDispose]();
  });

  it('is refused with a key that the store has not told of, and with one that was revoked', async () => {
    const { test, key, state, ask } = await awayStage();
    const caller = await ask(key);
    await test.call(test.alice, 'revokeKey', { key_id: caller.key.id });
    await expect(ask(key)).rejects.toMatchObject(refused);
    state.accessVersion = () => Promise.reject(new StoreError('away', 'The store is away.'));
    state.trouble = 'store_away';
    await expect(ask(key)).rejects.toMatchObject({ reason: 'away' });
    await test[Symbol.asyncDispose]();
  });
});
