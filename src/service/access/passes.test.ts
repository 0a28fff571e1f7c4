import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { openService } from '../../../test/stages/service.ts';
import { authenticateSession, sessionWorks } from './sessions.ts';
import { authenticateEntry, authenticateTicket, isEntryTicket, operatorTicket } from './tickets.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const REFUSED = { code: 'unauthenticated' };

async function stage() {
  const clock = fakeClock();
  const test = await openService({ clock });
  const alice = await test.caller('alice');
  const { context } = test.service;
  const session = async () => {
    const { token } = await context.sessions.open(alice);
    return { token, caller: await authenticateSession(context, token) };
  };
  return Object.assign(test, { clock, alice, context, session });
}

describe('a session', () => {
  it('stands for its key for twelve hours', async () => {
    await using test = await stage();
    const { token, endsAt } = await test.context.sessions.open(test.alice);
    expect(endsAt).toEqual(new Date(test.clock.now().getTime() + 12 * HOUR));
    const caller = await authenticateSession(test.context, token);
    expect(caller).toMatchObject({ account: test.alice.account, key: { id: test.alice.key.id } });
    expect(await sessionWorks(test.store, caller.session!, test.clock.now())).toBe(true);
    for (let hours = 0.5; hours < 12; hours += 0.5) {
      test.clock.jump(0.5 * HOUR);
      await authenticateSession(test.context, token);
    }
    test.clock.jump(0.5 * HOUR);
    await expect(authenticateSession(test.context, token)).rejects.toMatchObject(REFUSED);
  });

  it('ends after an idle hour', async () => {
    await using test = await stage();
    const { token, caller } = await test.session();
    test.clock.jump(HOUR - 1);
    expect(await sessionWorks(test.store, caller.session!, test.clock.now())).toBe(true);
    test.clock.jump(1);
    expect(await sessionWorks(test.store, caller.session!, test.clock.now())).toBe(false);
    await expect(authenticateSession(test.context, token)).rejects.toMatchObject(REFUSED);
  });

  it('writes its use every five minutes at most, and works where nothing can be written', async () => {
    await using test = await stage();
    const { token } = await test.session();
    const used: Date[] = [];
    Object.assign(test.store, {
      usePass: async (_: string, at: Date) => {
        used.push(at);
        throw new Error('The disk is full.');
      },
    });
    test.clock.jump(5 * MINUTE - 1);
    await authenticateSession(test.context, token);
    expect(used).toEqual([]);
    test.clock.jump(1);
    await authenticateSession(test.context, token);
    expect(used).toEqual([test.clock.now()]);
  });

  it('ends when the person signs out, when its key is revoked, and is nothing but its token', async () => {
    await using test = await stage();
    const [one, two] = [await test.session(), await test.session()];
    await expect(authenticateSession(test.context, 'guessed')).rejects.toMatchObject(REFUSED);
    expect(await test.context.sessions.end(one.token)).toBe(one.caller.session);
    await expect(authenticateSession(test.context, one.token)).rejects.toMatchObject(REFUSED);
    expect(await test.context.sessions.end(one.token)).toBe(one.caller.session);
    const other = await test.caller('alice');
    await test.call(other, 'revokeKey', { key_id: test.alice.key.id });
    await expect(authenticateSession(test.context, two.token)).rejects.toMatchObject(REFUSED);
  });
});

describe('a ticket', () => {
  it('for a stream works once, within a minute', async () => {
    await using test = await stage();
    const { ticket } = await test.call(test.alice, 'createStreamTicket');
    expect(ticket).toMatch(/^stream_[\w-]{43}$/);
    expect(await authenticateTicket(test.context, ticket)).toMatchObject({ key: { id: test.alice.key.id } });
    await expect(authenticateTicket(test.context, ticket)).rejects.toMatchObject(REFUSED);
    const [soon, late] = [
      await test.context.streamTickets.open(test.alice),
      await test.context.streamTickets.open(test.alice),
    ];
    expect(soon.endsAt).toEqual(new Date(test.clock.now().getTime() + MINUTE));
    test.clock.jump(MINUTE - 1);
    await authenticateTicket(test.context, soon.ticket);
    test.clock.jump(1);
    await expect(authenticateTicket(test.context, late.ticket)).rejects.toMatchObject(REFUSED);
  });

  it('of one kind is not accepted as another', async () => {
    await using test = await stage();
    const stream = await test.context.streamTickets.open(test.alice);
    const entry = await test.context.entryTickets.open(test.alice);
    await expect(authenticateEntry(test.context, stream.ticket)).rejects.toMatchObject(REFUSED);
    await expect(authenticateTicket(test.context, entry.ticket)).rejects.toMatchObject(REFUSED);
    expect([isEntryTicket(entry.ticket), isEntryTicket(stream.ticket)]).toEqual([true, false]);
    expect((await authenticateEntry(test.context, entry.ticket)).account.name).toBe('alice');
  });

  it('that was made in a session ends with the session', async () => {
    await using test = await stage();
    const { token, caller } = await test.session();
    const [one, two] = [await test.context.streamTickets.open(caller), await test.context.streamTickets.open(caller)];
    expect((await authenticateTicket(test.context, one.ticket)).session).toBe(caller.session);
    await test.context.sessions.end(token);
    await expect(authenticateTicket(test.context, two.ticket)).rejects.toMatchObject(REFUSED);
    const without = await test.context.streamTickets.open(test.alice);
    expect(await authenticateTicket(test.context, without.ticket)).not.toHaveProperty('session');
  });

  it('is worth nothing once its key is revoked', async () => {
    await using test = await stage();
    const { ticket } = await test.context.entryTickets.open(test.alice);
    const other = await test.caller('alice');
    await test.call(other, 'revokeKey', { key_id: test.alice.key.id });
    await expect(authenticateEntry(test.context, ticket)).rejects.toMatchObject(REFUSED);
  });

  it('for the operator stands for a full key that works, for a quarter of an hour', async () => {
    await using test = await stage();
    expect(await operatorTicket(test.context)).toBeUndefined();
    await test.caller('default', { scope: 'read' });
    expect(await operatorTicket(test.context)).toBeUndefined();
    const operator = await test.caller('default');
    const opened = (await operatorTicket(test.context))!;
    expect(opened.endsAt).toEqual(new Date(test.clock.now().getTime() + 15 * MINUTE));
    expect((await authenticateEntry(test.context, opened.ticket)).key.id).toBe(operator.key.id);
    expect((await operatorTicket(test.context, SECOND))!.endsAt).toEqual(new Date(test.clock.now().getTime() + SECOND));
    const keys = await test.store.keys(operator.account.id);
    const isOpenedBy = async (milliseconds: number) => {
      const expiresAt = new Date(test.clock.now().getTime() + milliseconds);
      Object.assign(test.store, { keys: async () => keys.map((key) => ({ ...key, expiresAt })) });
      return (await operatorTicket(test.context)) !== undefined;
    };
    expect([await isOpenedBy(-HOUR), await isOpenedBy(0), await isOpenedBy(HOUR)]).toEqual([false, false, true]);
  });

  it('to enter is asked for with a key, lasts a minute, and is refused to a session', async () => {
    await using test = await stage();
    const { ticket, expires_at } = await test.call(test.alice, 'createEntryTicket');
    expect(Date.parse(expires_at)).toBe(test.clock.now().getTime() + MINUTE);
    expect((await authenticateEntry(test.context, ticket)).account.name).toBe('alice');
    const { caller } = await test.session();
    await expect(test.call(caller, 'createEntryTicket')).rejects.toMatchObject({ code: 'permission_denied' });
  });
});
