import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANY_CHARACTER } from '../../../test/generated/any-character.ts';
import type { Match } from '../../domain/match.ts';
import { eventData, eventDigest } from '../../mcp/events/wire.ts';
import { digestItem, digestOfGroups } from '../../wakes/digest.ts';
import { digestWake, wakeBody } from './wake-body.ts';
import { WIRES } from './wires.ts';

const CHARACTERS = 2_400;
const SERVER = `https://${'sluice.'.repeat(20)}example`;
const encode = Object.assign(() => '', { eventData, server: SERVER });
const ID = 'dlv_01k3zqd1e3g5j7m9p1r3t5w7y9';

const matchOf = (text: string, rule = 0, id = '1'): Match => ({
  id: 'match_01k3zqb2v4n8s6d0f3h5j7k9m1',
  createdAt: new Date('2026-11-15T08:30:00.123Z'),
  position: 1,
  platform: 'firehose',
  platformPostId: id,
  ruleId: `rule_01k3zq8m7e5w9c2t4r6y8p${String(rule).padStart(4, '0')}`,
  ruleName: text,
  ruleVersion: 1,
  storyId: 'st_01m7np1wkd000',
  payload: { url: `https://site.example/${text}`, title: text, text },
  highlights: [{ field: 'title', start: 0, end: Math.min(4, text.length) }],
});

const texts = fc.oneof(
  fc.string({ unit: ANY_CHARACTER, minLength: 1, maxLength: 2_000 }),
  fc.constantFrom('"'.repeat(900), '\\'.repeat(900), '\u{e0041}'.repeat(500), 'word '.repeat(400)),
);

describe('a wake', () => {
  it('has at most 600 tokens with all that a protocol puts around it, whatever matched and of however many rules', () => {
    fc.assert(
      fc.property(texts, texts, fc.integer({ min: 1, max: 300 }), (text, id, count) => {
        const matches = Array.from({ length: count }, (_, rule) => matchOf(text, rule, id));
        const body = wakeBody({ id: 'hook_01k3zqc4d6f8h0k2m4p6r8t0v2' }, matches, encode);
        for (const format of ['wake', 'a2a'] as const) {
          const sent = WIRES[format].request({ url: 'https://a.example', id: ID, body, credential: 'token' });
          expect(sent.body.length).toBeLessThanOrEqual(CHARACTERS);
        }
      }),
    );
  });

  it('counts its matches by rule, the rule with most first, and shows the newest', () => {
    const matches = [matchOf('one', 1), matchOf('two', 2), matchOf('three', 2)];
    const wake = JSON.parse(wakeBody({ id: 'hook_1' }, matches, encode));
    expect(wake).toMatchObject({
      matches: 3,
      rules: [{ matches: 2 }, { matches: 1 }],
      newest: { untrusted_content: { passage: expect.stringContaining('three'.slice(4)) } },
    });
  });

  it('of a digest has at most 600 tokens too', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 8 }), (text, stories) => {
        const newest = matchOf(text);
        const groups = Array.from({ length: stories }, (_, index) => ({
          story: `st_${index}`,
          matches: Array.from({ length: 100 }, () => ({ id: newest.id, at: newest.createdAt })),
          items: [digestItem(newest)],
        }));
        const held = groups.flatMap(({ matches }) => matches);
        const digest = digestOfGroups(groups, { matches: held, stories });
        const body = digestWake('hook_1', { digest, newest }, { digest: eventDigest }, SERVER);
        expect(JSON.parse(body)).toMatchObject({ matches: held.length, stories });
        const sent = WIRES.a2a.request({ url: 'https://a.example', id: ID, body, credential: 'token' });
        expect(sent.body.length).toBeLessThanOrEqual(CHARACTERS);
      }),
      { numRuns: 30 },
    );
  });
});
