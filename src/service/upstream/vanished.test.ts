import { describe, expect, it, vi } from 'vitest';
import { upstreamStage } from '../../../test/stages/upstream-stage.ts';

const MINUTE = 60_000;

async function stage() {
  const test = await upstreamStage();
  const { clock, x, rule } = test;
  const [storm, sea] = [await rule('storm'), await rule('sea')];
  x.push({ kind: 'state', state: 'live' });
  await clock.pass(MINUTE);
  const look = async (rule_id: string) => {
    const { coverage } = await test.test.call(test.caller, 'listMatches', { rule_id });
    const { platforms } = await test.test.call(test.caller, 'getRule', { rule_id });
    return { coverage, status: platforms.x!.status };
  };
  return { ...test, storm, sea, look };
}

describe('a registration that another program deletes', () => {
  it('is missed within a minute: a gap of its rule alone, from before the last comparison until the upstream acts again', async () => {
    const { clock, x, storm, sea, look, gaps } = await stage();
    const compared = clock.now().getTime();
    await clock.pass(20_000);
    await x.unregister([x.idOf('storm')]);
    await clock.pass(MINUTE);
    const { coverage, status } = await look(storm);
    expect(coverage.gaps).toEqual([
      {
        platform: 'x',
        rule_id: storm,
        from: expect.any(String),
        to: expect.any(String),
        cause: 'registration_missing',
        recovered: false,
      },
    ]);
    const { from, to } = coverage.gaps[0]!;
    expect(Date.parse(from)).toBeLessThanOrEqual(compared - 10_000);
    expect(Date.parse(to!)).toBe(compared + MINUTE + 20_000);
    expect([status, x.values.toSorted()]).toEqual(['active', ['sea', 'storm']]);
    expect((await look(sea)).coverage.gaps).toEqual([]);
    expect(await gaps()).toHaveLength(1);
  });

  it('is said to be missing for as long as it cannot be registered again, with the reason', async () => {
    const { clock, x, storm, sea, look } = await stage();
    const register = x.register.bind(x);
    const { PlatformError } = await import('../../platforms/platform.ts');
    x.register = async () => Promise.reject(new PlatformError('unreachable', 'X cannot be reached.'));
    await x.unregister([x.idOf('storm')]);
    await clock.pass(MINUTE);
    expect(await look(storm)).toMatchObject({
      status: 'failed',
      coverage: { complete: false, reasons: expect.arrayContaining(['registration_missing', 'gap']) },
    });
    x.register = async () => Promise.reject(new PlatformError('limit', 'All rules are in use.'));
    x.push({ kind: 'mark', cursor: 'm', through: clock.now() });
    await clock.pass(MINUTE);
    const { coverage } = await look(storm);
    expect(coverage.reasons).toContain('over_limit');
    expect(coverage.complete_through).toBe(coverage.gaps[0]!.from);
    expect((await look(sea)).coverage.reasons).not.toContain('over_limit');
    x.register = register;
    await clock.pass(10 * MINUTE);
    expect(await look(storm)).toMatchObject({ status: 'active', coverage: { gaps: [{ to: expect.any(String) }] } });
  });

  it('asks the store nothing more about its rules while it stays missing', async () => {
    const { clock, x, storm, look, store } = await stage();
    const { PlatformError } = await import('../../platforms/platform.ts');
    const register = x.register.bind(x);
    x.register = async () => Promise.reject(new PlatformError('unreachable', 'X cannot be reached.'));
    await x.unregister([x.idOf('storm')]);
    await clock.pass(2 * MINUTE);
    const asked = vi.spyOn(store, 'rule');
    await clock.pass(5 * MINUTE);
    expect(asked).not.toHaveBeenCalled();
    x.register = register;
    await clock.pass(10 * MINUTE);
    expect(await look(storm)).toMatchObject({ status: 'active', coverage: { gaps: [{ to: expect.any(String) }] } });
  });

  it('loses nothing that came for another rule: the engine’s word is kept until a comparison has shown which is right', async () => {
    const { clock, x, storm, posts, store } = await stage();
    await x.unregister([x.idOf('storm')]);
    await clock.pass(1);
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const held = x.held.bind(x);
    x.held = () => answered.then(held);
    x.arrive('1', 'a storm at sea', [x.idOf('sea')]);
    await clock.pass(0);
    // Until then the cursor stays before it.
    expect([await posts(), await store.cursor('x')]).toEqual([['1'], undefined]);
    answer();
    await clock.pass(10_000);
    expect(await posts()).toEqual(['1', '1']);
    expect(await store.cursor('x')).toBe('1');
    const { matches } = await store.matches({ accountId: (await store.accounts())[0]!.id, ruleId: storm, limit: 9 });
    expect(matches).toHaveLength(1);
    // The upstream needs some seconds to act on the new registration.
    x.arrive('2', 'a storm at sea', [x.idOf('sea')]);
    expect(await posts()).toHaveLength(4);
  });

  it('is compared soon after the engine first disagrees, and not for every disagreement', async () => {
    const { clock, x, posts, storm, test, caller } = await stage();
    let compared = 0;
    const held = x.held.bind(x);
    x.held = () => {
      compared++;
      return held();
    };
    await clock.pass(30_000);
    for (let post = 1; post <= 50; post++) x.arrive(String(post), 'a storm at sea', [x.idOf('sea')]);
    await clock.pass(20_000);
    expect(compared).toBeLessThanOrEqual(3);
    expect(compared).toBeGreaterThan(0);
    expect(await posts()).toHaveLength(50);
    const { platforms } = await test.call(caller, 'getRule', { rule_id: storm });
    expect(platforms.x!.engine_agreement).toMatchObject({ engine_only: 50 });
  });

  it('is told to the streams of its account alone', async () => {
    const { clock, x, caller, test, store } = await stage();
    const other = await test.caller('other', { xRules: 10 });
    const heard = { mine: '', theirs: '' };
    for (const [name, { account, key }] of Object.entries({ mine: caller, theirs: other })) {
      const write = (bytes: Uint8Array) => {
        heard[name as keyof typeof heard] += Buffer.from(bytes).toString();
        return true;
      };
      const outlet = { queued: 0, write, end() {}, destroy() {} };
      test.service.context.live.subscribe({
        accountId: account.id,
        keyId: key.id,
        after: await store.latest(),
        outlet,
      });
    }
    await x.unregister([x.idOf('storm')]);
    await clock.pass(MINUTE);
    expect(heard.mine).toContain('"cause":"registration_missing"');
    expect(heard.theirs).not.toContain('registration_missing');
    expect(heard.theirs).toContain('event: coverage');
  });
});
