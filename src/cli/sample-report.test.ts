import { describe, expect, it } from 'vitest';
import { readRuleFile } from './rule-file.ts';
import { describeSamples, testSamples } from './sample-report.ts';

const report = (rule: string) => testSamples(readRuleFile('rules.yaml', `rules:\n  - name: Volcano\n${rule}`));
const said = async (rule: string) => describeSamples(await report(rule)).split('\n');

describe('the samples of a rule', () => {
  it('pass where the rule does what they say, as texts and as events of a platform', async () => {
    const found = await report(`
    overrides: { x: '(volcano OR lava) -game lang:en', firehose: 'title:volcano' }
    must_match:
      - x: { data: { id: '1', text: The volcano erupts, lang: en } }
        firehose: { url: 'https://a.test/', title: A volcano }
      - firehose: a volcano, as title and content
    must_not_match:
      - a game of snow
`);
    expect(found).toEqual({ samples: 5, passed: 5, notKnown: 0, failures: [] });
  });

  it('fail in one line each, with the place of the sample and the part that decided', async () => {
    expect(
      await said(`
    overrides: { x: '(volcano OR lava) eruption -game' }
    must_match:
      - eruptions of a volcano
      - lava eruption in a game
    must_not_match:
      - 'Lava: eruption'
`),
    ).toEqual([
      '✗ rules.yaml:6:9: Volcano, x, must_match: It does not match, because not: text has "eruption". The sample has eruptions instead.',
      '✗ rules.yaml:7:9: Volcano, x, must_match: It does not match, because text has "game".',
      '✗ rules.yaml:9:9: Volcano, x, must_not_match: It matches, because text has "lava", text has "eruption", not: text has "game".',
      '3 samples: 0 passed, 3 failed.',
    ]);
  });

  it('fail with a hint where a text cannot have what the rule asks for', async () => {
    const [line] = await said(`
    overrides: { x: 'volcano lang:en' }
    must_match: [a volcano]
`);
    expect(line).toContain('Write it as an event under `x:` or `firehose:`.');
  });

  it('fail where the rule is not valid or the event is none', async () => {
    const { failures } = await report(`
    overrides: { x: 'volcano lang:en', firehose: 'title:(' }
    must_match:
      - x: { text: no post }
      - firehose: a page
`);
    expect(failures).toMatchObject([
      { place: 'rules.yaml:6:12', platform: 'x', message: expect.stringContaining('It is not an event: ') as string },
      { place: 'rules.yaml:7:19', platform: 'firehose', hint: 'The text of the rule is not valid.' },
    ]);
  });

  it('are not known where only the upstream can judge, unless the rest decides', async () => {
    const lines = await said(`
    overrides: { x: 'volcano embedding:"eruptions"' }
    must_match: [a volcano]
    must_not_match: [a volcano, a harbour]
`);
    expect(lines).toEqual(['3 samples: 1 passed, 0 failed, 2 not known (only the upstream can tell).']);
  });

  it.each([
    ['a text with a colon that is not quoted', 'must_match:\n      - Lava: erupts', 'in quotes if it has a colon'],
    ['an event of a platform without a text', 'must_match:\n      - firehose: a page', 'no text for firehose'],
  ])('are refused with their place: %s', async (_, samples, message) => {
    await expect(async () => report(`    overrides: { x: volcano }\n    ${samples}\n`)).rejects.toThrow(message);
    await expect(async () => report(`    overrides: { x: volcano }\n    ${samples}\n`)).rejects.toThrow(
      /^rules\.yaml:5:\d+: /,
    );
  });
});
