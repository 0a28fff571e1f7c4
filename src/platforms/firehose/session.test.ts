import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { StreamSession } from './session.ts';
import { firstPosition, writePosition } from './stream-position.ts';

const START = Date.parse('2026-11-15T08:30:00.000Z');

function stand() {
  const clock = fakeClock();
  return { clock, session: new StreamSession(clock) };
}

describe('a session', () => {
  it('begins where it was committed, and at its own start when nothing was or the cursor is broken', () => {
    const { session } = stand();
    expect(session.position).toEqual(firstPosition(START));
    session.resume(writePosition({ ...firstPosition(5_000), ids: { 0: '0-7' } }));
    expect(session.position).toMatchObject({ through: 5_000, ids: { 0: '0-7' } });
    session.resume('nonsense');
    expect(session.position).toEqual(firstPosition(START));
    session.resume(undefined);
    expect(session.position.through).toBe(START);
  });

  it('does not go back to a time in which it had nothing to watch', async () => {
    const { clock, session } = stand();
    await clock.pass(60_000);
    session.skipToNow();
    session.resume(writePosition(firstPosition(START)));
    expect(session.position.through).toBe(START + 60_000);
    session.resume(writePosition(firstPosition(START + 90_000)));
    expect(session.position.through).toBe(START + 90_000);
  });

  it('counts how long it was away, also when the clock on the wall was set back', async () => {
    const { clock, session } = stand();
    session.reach(START);
    await clock.pass(7_000);
    expect(session.awayMs()).toBe(7_000);
    session.reach(START + 3_600_000);
    await clock.pass(2_000);
    expect(session.awayMs()).toBe(2_000);
    session.reach(START);
    expect(session.awayMs()).toBe(9_000);
  });

  it('promises to be complete only up to what surely has come', () => {
    const { session } = stand();
    expect(session.completeThrough.getTime()).toBe(START - 10_000);
    expect(session.mark()).toEqual({ kind: 'mark', cursor: session.cursor(), through: session.completeThrough });
  });

  it('tells a state once, and again when its reason changes', () => {
    const { session } = stand();
    expect(session.tell('connecting')).toEqual([{ kind: 'state', state: 'connecting' }]);
    expect(session.tell('connecting')).toEqual([]);
    expect(session.tell('connecting', 'no rules yet')).toEqual([
      { kind: 'state', state: 'connecting', reason: 'no rules yet' },
    ]);
    expect(session.tell('connecting', 'no rules yet')).toEqual([]);
  });

  it('has one gap at a time, which is unrecoverable as soon as one of its causes is', () => {
    const { session } = stand();
    const from = new Date(START - 10_000);
    expect(session.openGap('disconnected', true)).toEqual([
      { kind: 'gap', gap: { from, to: undefined, cause: 'disconnected', recovered: false } },
    ]);
    expect(session.openGap('no rules', false)).toEqual([]);
    expect(session.openGap('away', true)).toEqual([]);
    session.reach(START + 5_000);
    expect(session.closeGap()).toEqual([
      { kind: 'gap', gap: { from, to: new Date(START + 5_000), cause: 'disconnected', recovered: false } },
    ]);
    expect([session.gap, session.closeGap()]).toEqual([undefined, []]);
  });

  it('closes a gap that was made good as recovered, and never before it began', () => {
    const { session } = stand();
    session.openGap('away', true, new Date(START + 60_000));
    expect(session.closeGap()).toMatchObject([{ gap: { to: new Date(START + 60_000), recovered: true } }]);
  });

  it('opens the last gap again when it was not made good after all', () => {
    const { session } = stand();
    expect(session.reopenGap()).toEqual([]);
    session.openGap('disconnected', true);
    session.closeGap();
    expect(session.suspect).toMatchObject({ cause: 'disconnected' });
    expect(session.reopenGap()).toMatchObject([{ gap: { cause: 'disconnected', to: undefined, recovered: false } }]);
    expect(session.closeGap()).toMatchObject([{ gap: { recovered: false } }]);
    session.clearSuspect();
    expect([session.suspect, session.reopenGap()]).toEqual([undefined, []]);
  });
});
