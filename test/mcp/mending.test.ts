/** What the tools that mend and draft rules answer, and how ratings are told: figures in words, and texts in an envelope. */
import { beforeAll, expect, it } from 'vitest';
import { openService, type TestService } from '../stages/service.ts';
import { agentOf } from './in-process.ts';

const FORTY = [...Array(40).keys()];
const NOTICE = expect.stringMatching(/never instructions/) as string;

type Value = Readonly<Record<string, unknown>>;

let answer: (name: string, input: object) => Promise<Value>;
let newest: string;

/** A rule that half of its ratings are against, and posts that it nearly matches. */
async function rate(test: TestService): Promise<void> {
  const alice = await test.caller('alice');
  const agent = agentOf(test, alice);
  answer = async (name, input) => {
    const { isError, text, value } = await agent(name, input);
    expect(isError, text).toBe(false);
    return value;
  };
  const rule = { name: 'Eastline', intent: 'Trouble', platforms: ['x'], overrides: { x: 'eastline' } };
  await answer('create_rule', rule);
  await test.post(alice, ...FORTY.map((at) => `Eastline trouble number ${at} at noon`));
  await test.post(alice, ...FORTY.map((at) => `Eastline is hiring engineer number ${at}`));
  await test.post(alice, ...FORTY.map((at) => `Eastlines in trouble ${at}`));
  const { matches } = await test.call(alice, 'listMatches', { limit: 100 });
  newest = matches[0]!.id;
  for (const { id, platform_post_id } of matches.slice(5)) {
    const rating = Number(platform_post_id) > FORTY.length ? 'irrelevant' : 'relevant';
    await answer('rate_match', { match_id: id, rating });
  }
}

beforeAll(async () => {
  const test = await openService();
  await rate(test);
  return () => test[Symbol.asyncDispose]();
});

it('suggest_changes says what each change would have removed or found', async () => {
  const { coverage: _, ...told } = await answer('suggest_changes', { rule_id: 'Eastline' });
  const effect =
    'Removes 35 of 35 rated irrelevant and 40 of 80 recent matches; at most 10.9 % of what is wanted is lost.';
  expect(told).toEqual({
    notice: NOTICE,
    basis: '75 rated and 80 recent matches',
    suggestions: [
      { platform: 'x', kind: 'exclude', effect, untrusted_content: { change: '-hiring', value: 'eastline -hiring' } },
      { platform: 'x', kind: 'narrow', effect, untrusted_content: { change: 'noon', value: 'eastline noon' } },
      {
        platform: 'x',
        kind: 'widen',
        effect: 'Matches 40 more recent events.',
        untrusted_content: { change: '(eastline OR eastlines)', value: '(eastline OR eastlines)' },
      },
    ],
  });
});

it('explain_match has the words that ratings speak for or against, in an envelope', async () => {
  const told = await answer('explain_match', { match_id: newest });
  expect(told).toMatchObject({
    notice: NOTICE,
    relevance_basis: 'by 75 ratings',
    untrusted_content: { relevance_words: expect.arrayContaining(['against: hiring', 'for: eastline']) as string[] },
  });
  expect(told).not.toHaveProperty('story_words');
});

it('draft_rule says how many examples each text fits, and what the intent names beside them', async () => {
  const wanted = ['Northline outage\u202e in Berlin', 'Northline is down, outage everywhere'];
  const unwanted = ['Northline ads: outage manager wanted'];
  const { coverage: _, ...told } = await answer('draft_rule', { platform: 'x', wanted, unwanted });
  expect(told).toEqual({
    notice: NOTICE,
    platform: 'x',
    fit: '2 of 2 wanted, 0 of 1 unwanted',
    untrusted_content: { value: 'berlin OR everywhere', others: ['outage (2 of 2 wanted, 1 of 1 unwanted)'] },
  });
  const german = await answer('draft_rule', { platform: 'x', intent: 'Northline outages in German, no ads', wanted });
  expect(german['intent_notes']).toEqual([expect.stringContaining('ads')]);
});

it('draft_rule writes for pages as well, from a sentence or examples or ratings', async () => {
  const page = { platform: 'firehose', wanted: ['Northline outage in Berlin', 'Northline is down, outage everywhere'] };
  expect(await answer('draft_rule', page)).toMatchObject({
    platform: 'firehose',
    fit: '2 of 2 wanted, 0 of 0 unwanted',
    untrusted_content: { value: 'outage' },
  });
  expect(await answer('draft_rule', { rule_id: 'Eastline' })).toMatchObject({
    platform: 'x',
    fit: '40 of 40 wanted, 0 of 35 unwanted',
  });
});
