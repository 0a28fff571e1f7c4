import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Registration, RegistrationState } from '../../domain/rule.ts';
import {
  advance,
  LIFECYCLE,
  OWED_CALLS,
  type RegistrationEvent,
  registrationChange,
} from './registration-lifecycle.ts';

const at = (second: number) => new Date(second * 1_000);
const rowOf = (state: RegistrationState, platformRuleId?: string): Registration => ({
  tag: 'tag',
  platform: 'x',
  value: 'storm OR rain',
  flags: {},
  texts: ['storm', 'rain'],
  platformRuleId,
  state,
  since: at(0),
});

describe('the lifecycle of a registration', () => {
  it('knows an event for every state, and refuses one that cannot be', () => {
    expect(Object.keys(LIFECYCLE)).toEqual(['wanted', 'held', 'leaving', 'gone']);
    const move = (state: RegistrationState, event: RegistrationEvent) =>
      advance({ row: rowOf(state, 'id'), event, at: at(1) })?.state;
    expect(move('wanted', 'accepted')).toBe('held');
    expect(() => move('gone', 'accepted')).toThrow('a registration that is gone cannot be accepted');
    expect(() => move('held', 'removed')).toThrow('a registration that is held cannot be removed');
  });

  it('remembers one that is gone by its id, and drops one that never had any', () => {
    const gone = advance({ row: rowOf('leaving'), event: 'removed', at: at(1), id: 'id' });
    expect(gone).toMatchObject({ state: 'gone', platformRuleId: 'id', since: at(1) });
    expect(advance({ row: rowOf('leaving'), event: 'removed', at: at(1) })).toBeUndefined();
    expect(advance({ row: rowOf('wanted'), event: 'lost', at: at(1) })).toBeUndefined();
  });

  it('does not begin to leave a second time', () => {
    expect(advance({ row: rowOf('leaving'), event: 'found_unneeded', at: at(1), id: 'id' })).toEqual({
      ...rowOf('leaving', 'id'),
      since: at(0),
    });
  });

  it('makes rules active with what is accepted or found, and with nothing else', () => {
    const change = registrationChange([
      { row: rowOf('wanted'), event: 'accepted', at: at(1), id: 'a' },
      { row: rowOf('held', 'b'), event: 'found', at: at(1), id: 'c' },
      { row: rowOf('leaving', 'd'), event: 'needed', at: at(1) },
      { row: rowOf('held', 'e'), event: 'unneeded', at: at(1) },
      { row: rowOf('wanted'), event: 'refused', at: at(1) },
    ]);
    expect(change.holders.map(({ value, platformRuleId }) => `${value} ${platformRuleId}`)).toEqual([
      'storm a',
      'rain a',
      'storm c',
      'rain c',
    ]);
    expect(change.put.map(({ state }) => state)).toEqual(['held', 'held', 'held', 'leaving']);
    expect(change.drop).toEqual(['tag']);
  });
});

/**
 * The small model: whether the upstream holds the registration, and whether a rule needs it. What happens in the world is told to the
 * registration by the event that the queue would take it for.
 */
interface World {
  row: Registration | undefined;
  isHeldUpstream: boolean;
  isNeeded: boolean;
}

const HAPPENINGS = [
  'the upstream takes it',
  'the upstream takes it without an answer',
  'the upstream is not reached',
  'the upstream refuses it',
  'another program deletes it',
  'no rule needs it',
  'a rule needs it',
  'a comparison',
  'a removal',
  'time passes',
] as const;

type Happening = (typeof HAPPENINGS)[number];

function happen(world: World, happening: Happening): void {
  const { row } = world;
  if (row === undefined) return;
  const tell = (event: RegistrationEvent, id?: string) => {
    world.row = advance({ row, event, at: at(1), id });
  };
  const isWanted = row.state === 'wanted';
  if (happening === 'another program deletes it') world.isHeldUpstream = false;
  if (happening === 'no rule needs it' || happening === 'a rule needs it') {
    world.isNeeded = happening === 'a rule needs it';
    if (row.state === 'held' && !world.isNeeded) tell('unneeded');
    if (row.state === 'leaving' && world.isNeeded && world.isHeldUpstream && row.platformRuleId !== undefined)
      tell('needed');
  }
  if (happening === 'a comparison' && row.state !== 'gone') {
    const isKept = world.isNeeded && row.state !== 'leaving';
    if (world.isHeldUpstream) tell(isKept ? 'found' : 'found_unneeded', 'id');
    else tell('lost');
  }
  if (happening === 'a removal' && OWED_CALLS[row.state] === 'unregister') {
    const id = world.isHeldUpstream ? 'id' : undefined;
    world.isHeldUpstream = false;
    tell('removed', id);
  }
  if (happening === 'time passes' && row.state === 'gone') tell('expired');
  if (!isWanted || OWED_CALLS[row.state] !== 'register') return;
  if (happening.startsWith('the upstream takes it')) world.isHeldUpstream = true;
  if (happening === 'the upstream takes it') tell('accepted', 'id');
  if (happening === 'the upstream takes it without an answer' || happening === 'the upstream is not reached')
    tell('unanswered');
  if (happening === 'the upstream refuses it') tell('refused');
}

const lives = fc.array(fc.constantFrom(...HAPPENINGS), { maxLength: 30 });
const live = (happenings: readonly Happening[], check: (world: World) => void): World => {
  const world: World = { row: rowOf('wanted'), isHeldUpstream: false, isNeeded: true };
  for (const happening of happenings) {
    happen(world, happening);
    check(world);
  }
  return world;
};

describe('whatever happens', () => {
  it('nothing that the upstream holds is forgotten, and nothing is held without an id', () => {
    fc.assert(
      fc.property(lives, (happenings) => {
        live(happenings, ({ row, isHeldUpstream }) => {
          const isKnown = ['wanted', 'held', 'leaving'].some((state) => state === row?.state);
          const needsId = row?.state === 'held' || row?.state === 'gone';
          expect([isHeldUpstream && !isKnown, needsId && row.platformRuleId !== 'id']).toEqual([false, false]);
        });
      }),
    );
  });

  it('one that no rule needs is removed in the end, and one that a rule needs is held or known to be missing', () => {
    fc.assert(
      fc.property(lives, fc.boolean(), (happenings, isNeeded) => {
        const world = live(happenings, () => {});
        const ending: Happening[] = isNeeded
          ? ['a rule needs it', 'a comparison']
          : ['no rule needs it', 'a comparison', 'a removal', 'time passes'];
        for (const happening of ending) happen(world, happening);
        const { row, isHeldUpstream } = world;
        const isRight = isNeeded
          ? (row?.state === 'held') === (isHeldUpstream && row?.state !== 'leaving')
          : row === undefined && !isHeldUpstream;
        expect(isRight, JSON.stringify({ row, isHeldUpstream })).toBe(true);
      }),
    );
  });
});
