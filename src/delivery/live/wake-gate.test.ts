import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import type { Digest, WakeContract } from '../../domain/wake.ts';
import { matchFrame } from './frames.ts';
import { createWakeGate } from './wake-gate.ts';

const cursor = (position: number) => `c${position}`;

const frameAt = (position: number, story?: string, relevance?: number, relevant?: boolean) => ({
  position,
  bytes: matchFrame(
    cursor(position),
    JSON.stringify({
      id: `match_${String(position).padStart(6, '0')}`,
      created_at: '2026-11-15T08:00:00.000Z',
      platform: 'firehose',
      platform_post_id: 'p',
      rule_id: 'rule_1',
      rule_name: 'Storms',
      payload: { title: `Storm\n\n${position}`, url: 'https://a.test/' },
      ...(story !== undefined && { story_id: story }),
      ...(relevance !== undefined && { relevance }),
      ...(relevant !== undefined && { judged: { relevant } }),
    }),
  ),
});

interface Heard {
  readonly event: string;
  readonly id: string;
  readonly matchIds: readonly string[];
}

/** The messages that a client understands in these bytes. */
function heardIn(bytes: Uint8Array | undefined): Heard[] {
  const frames = Buffer.from(bytes ?? [])
    .toString()
    .split('\n\n')
    .filter((frame) => frame !== '');
  return frames.map((frame) => {
    const [, event, id, data] = /^event: (\w+)\nid: (\w+)\ndata: (.*)$/.exec(frame)!;
    const body = JSON.parse(data!) as Digest & { id: string };
    const matchIds = event === 'digest' ? body.stories.flatMap(({ match_ids }) => match_ids) : [body.id];
    return { event: event!, id: id!, matchIds };
  });
}

describe('the gate of a stream with a wake contract', () => {
  it('tells of what it held before the next match that wakes, and before a heartbeat', () => {
    const gate = createWakeGate({ per: 'story' }, fakeClock(), cursor);
    expect(heardIn(gate.pass(frameAt(1, 'a')))).toMatchObject([{ event: 'match', id: 'c1' }]);
    expect(gate.pass(frameAt(2, 'a'))).toBeUndefined();
    expect(gate.pass(frameAt(3, 'a'))).toBeUndefined();
    expect(heardIn(gate.pass(frameAt(4, 'b')))).toEqual([
      { event: 'digest', id: 'c3', matchIds: ['match_000003', 'match_000002'] },
      { event: 'match', id: 'c4', matchIds: ['match_000004'] },
    ]);
    expect(gate.pass(frameAt(5, 'b'))).toBeUndefined();
    expect(heardIn(gate.flush())).toEqual([{ event: 'digest', id: 'c5', matchIds: ['match_000005'] }]);
    expect(gate.flush()).toBeUndefined();
  });

  it('holds a hundred at most, and passes gaps on', () => {
    const gate = createWakeGate({ per: 'match', minRelevance: 0.5 }, fakeClock(), cursor);
    for (let position = 1; position < 100; position++) expect(gate.pass(frameAt(position, 'a', 0.1))).toBeUndefined();
    expect(heardIn(gate.pass(frameAt(100, 'a', 0.1)))[0]!.matchIds).toHaveLength(100);
    expect(gate.pass(frameAt(101, 'a', 0.1))).toBeUndefined();
    const gap = {
      position: 101,
      bytes: Buffer.from('event: gap\nid: c101\ndata: {"id":"gap"}\n\n'),
      isGap: true as const,
    };
    expect(heardIn(gate.pass(gap)).map(({ event }) => event)).toEqual(['digest', 'gap']);
  });

  it('reads a frame once for all streams that share it', () => {
    using parsed = vi.spyOn(JSON, 'parse');
    const frame = frameAt(1, 'a', 0.1);
    for (let stream = 0; stream < 20; stream++)
      createWakeGate({ per: 'match', minRelevance: 0.5 }, fakeClock(), cursor).pass(frame);
    expect(parsed).toHaveBeenCalledTimes(1);
  });

  it('goes by the word of the judge where it was asked', () => {
    const gate = createWakeGate({ per: 'match', minRelevance: 0.5 }, fakeClock(), cursor);
    expect(gate.pass(frameAt(1, 'a', 0.52, false))).toBeUndefined();
    expect(heardIn(gate.pass(frameAt(2, 'b', 0.48, true))).map(({ event }) => event)).toEqual(['digest', 'match']);
  });

  it('forgets what it holds when it is told to, and says where that began', () => {
    const gate = createWakeGate({ per: 'story' }, fakeClock(), cursor);
    gate.pass(frameAt(1, 'a'));
    gate.pass(frameAt(2, 'a'));
    gate.pass(frameAt(3, 'a'));
    expect(gate.drop()).toBe(2);
    expect([gate.drop(), gate.flush()]).toEqual([undefined, undefined]);
  });

  it('begins anew with each window', async () => {
    const clock = fakeClock();
    const gate = createWakeGate({ per: 'match', atMost: { count: 1, window: 'hour' } }, clock, cursor);
    expect(gate.pass(frameAt(1))).toBeDefined();
    expect(gate.pass(frameAt(2))).toBeUndefined();
    await clock.pass(3_600_000);
    expect(heardIn(gate.pass(frameAt(3))).map(({ event }) => event)).toEqual(['digest', 'match']);
  });

  it('lets a client that resumes from any id have every match in exactly one match or digest', () => {
    const contract = fc.record({
      per: fc.constantFrom('match' as const, 'story' as const),
      atMost: fc.option(fc.record({ count: fc.integer({ min: 1, max: 9 }), window: fc.constant('day' as const) }), {
        nil: undefined,
      }),
    });
    const steps = fc.array(
      fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom('a', 'b', 'c') },
        { weight: 1, arbitrary: fc.constantFrom('beat', 'cut', 'erase') },
      ),
      { maxLength: 300 },
    );
    fc.assert(
      fc.property(contract, steps, (terms: WakeContract, plan) => {
        const stories = plan.filter((step) => step.length === 1);
        const heard: string[] = [];
        let lastId = 0;
        let at = 0;
        let gate = createWakeGate(terms, fakeClock(), cursor);
        const hear = (bytes: Uint8Array | undefined) => {
          for (const { id, matchIds } of heardIn(bytes)) {
            heard.push(...matchIds);
            lastId = Number(id.slice(1));
          }
        };
        const catchUp = (to: number) => {
          while (at < to) hear(gate.pass(frameAt(++at, stories[at - 1])));
        };
        let stored = 0;
        for (const step of plan) {
          if (step.length === 1) catchUp(++stored);
          else if (step === 'beat') hear(gate.flush());
          else if (step === 'erase') at = (gate.drop() ?? at + 1) - 1;
          else {
            gate = createWakeGate(terms, fakeClock(), cursor);
            at = lastId;
          }
          catchUp(stored);
        }
        hear(gate.flush());
        expect(heard.toSorted()).toEqual(stories.map((_, index) => `match_${String(index + 1).padStart(6, '0')}`));
      }),
      { numRuns: 200 },
    );
  });
});
