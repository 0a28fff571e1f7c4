/** What the tools that try and explain rules answer, field by field: a model has nothing else to go by. */
import { describe, expect, it } from 'vitest';
import { openService } from '../stages/service.ts';
import { agentOf } from './in-process.ts';

/** Five real posts, and one that the demo feed invented. */
async function stage() {
  const test = await openService();
  const alice = await test.caller('alice');
  await test.post(
    alice,
    'storm over Brindle',
    'storm in Quarry with hail',
    'calm',
    'storm, rain',
    'storm, rain, again',
  );
  const invented = { data: { id: '901', text: 'storm of the demo with rain' } };
  await test.service.context.ingest.add('x', [invented], 'demo');
  const agent = agentOf(test, alice);
  const answer = async <T = Readonly<Record<string, unknown>>>(name: string, input: object): Promise<T> => {
    const { isError, text, value } = await agent(name, input);
    expect(isError, text).toBe(false);
    return value as T;
  };
  const rule = (name: string, x: string) =>
    answer('create_rule', { name, intent: '', platforms: ['x'], overrides: { x } });
  return Object.assign(test, { alice, agent, answer, rule });
}

interface Checked {
  readonly platforms: {
    readonly x: {
      readonly near_misses: readonly string[];
      readonly untrusted_content: { readonly samples: readonly string[] };
    };
  };
}

interface Missed {
  readonly clauses: readonly { readonly clause: string }[];
  readonly clauses_left_out?: number;
}

const NOTICE = expect.stringMatching(/never instructions/) as string;

describe('check_rule', () => {
  it('says how many recent events match, and which of them are invented', async () => {
    await using on = await stage();
    const { notice, ready, platforms } = await on.answer('check_rule', { overrides: { x: 'rain' }, samples: 3 });
    expect({ notice, ready, platforms }).toEqual({
      notice: NOTICE,
      ready: true,
      platforms: {
        x: {
          valid: true,
          recent:
            '3 of 6 recent events match; the demo feed invented 1 of the 3 and 1 of the 6; no rate: 5 events over less than a minute.',
          invented_samples: 1,
          untrusted_content: { samples: ['storm, «rain», again', 'storm, «rain»', 'storm of the demo with «rain»'] },
        },
      },
    });
  });

  it('says so when all events are invented, and shows no notice without a sample', async () => {
    await using test = await openService();
    await test.service.context.ingest.add('x', [{ data: { id: '1', text: 'storm' } }], 'demo');
    const { value } = await agentOf(test, await test.caller('alice'))('check_rule', { overrides: { x: 'hail' } });
    expect(value).not.toHaveProperty('notice');
    expect(value['platforms']).toEqual({
      x: {
        valid: true,
        recent:
          '0 of 1 recent events match; the demo feed invented them all; no rate: the demo feed invented most of them.',
        near_misses: ['1 of 1 recent events fail by hail alone, 1 of them invented.'],
      },
    });
  });

  it('names the three clauses that most events fail by alone, the worst first', async () => {
    await using on = await stage();
    await on.post(
      on.alice,
      'bb cc dd',
      'bb cc dd',
      'aa cc dd',
      'aa bb dd',
      'aa bb dd',
      'aa bb dd',
      'aa bb cc',
      'aa bb cc',
      'aa bb cc',
      'aa bb cc',
    );
    const { platforms } = await on.answer<Checked>('check_rule', { overrides: { x: 'aa bb cc dd' } });
    expect(platforms.x.near_misses).toEqual([
      '4 of 16 recent events fail by dd alone.',
      '3 of 16 recent events fail by cc alone.',
      '2 of 16 recent events fail by aa alone.',
    ]);
  });

  it('lists problems with their places, a corrected text once, and the fixes that several share once', async () => {
    await using on = await stage();
    const overrides = { x: 'storm AND rain AND hail', firehose: 'storm lang:en -rain' };
    const { ready, platforms } = await on.answer('check_rule', { overrides, samples: 2 });
    expect(ready).toBe(false);
    const error = { severity: 'error', message: expect.stringContaining('A blank already means AND') as string };
    const warning = { severity: 'warning', message: expect.any(String) as string };
    expect(platforms).toEqual({
      x: {
        valid: false,
        issues: [
          { ...error, at: [6, 9] },
          { ...error, at: [15, 18] },
        ],
        corrected: 'storm rain hail',
      },
      firehose: {
        valid: true,
        issues: [
          { ...warning, at: [0, 19] },
          {
            ...warning,
            at: [6, 10],
            fixes: [{ value: '(storm AND language:en) AND NOT rain', meaning: 'pages with language:en' }],
          },
        ],
        recent: 'There are no recent events to try it on.',
      },
    });
  });

  it('translates when it is asked to, with what the other platform loses', async () => {
    await using on = await stage();
    const overrides = { x: 'storm lang:en' };
    const asked = { overrides, intent: 'Storms, in German', translate: true, samples: 0 };
    const { platforms } = await on.answer('check_rule', asked);
    expect(platforms).toMatchObject({
      x: {
        intent_notes: ['The intent names German; the rule has no lang:de.'],
        translation: {
          platform: 'firehose',
          value: 'storm AND language:en',
          verdict: expect.any(String) as string,
          lost: [expect.stringMatching(/^storm: \w+\. it misses/) as string],
          measured: expect.stringContaining('texts made for this rule') as string,
        },
      },
    });
    expect(platforms).not.toHaveProperty('x.untrusted_content');
  });

  it('shows one sample in short, and several at length', async () => {
    await using on = await stage();
    await on.post(on.alice, ...['one', 'two'].map((word) => `gale ${word} ${'and rain '.repeat(60)}`));
    const overrides = { x: 'gale', firehose: 'gale' };
    const read = async (samples: number) =>
      (await on.answer<Checked>('check_rule', { overrides, samples })).platforms.x.untrusted_content.samples;
    expect((await read(1)).map(({ length }) => length)).toEqual([120]);
    expect((await read(2)).map(({ length }) => length)).toEqual([240, 240]);
  });

  it('asks for a text', async () => {
    await using on = await stage();
    const empty = await on.agent('check_rule', { overrides: {} });
    expect([empty.isError, empty.text]).toEqual([true, expect.stringContaining('at least one platform.')]);
    for (const overrides of [undefined, null, '', 7]) {
      const { isError, text } = await on.agent('check_rule', { overrides });
      expect([isError, text]).toEqual([true, expect.stringMatching(/^invalid_argument: /)]);
    }
  });
});

describe('near_misses', () => {
  it('counts for each clause what fails by it alone, with samples, the invented ones last', async () => {
    await using on = await stage();
    const asked = { platform: 'x', value: 'storm rain (hail OR snow)' };
    const { coverage: _, ...told } = await on.answer('near_misses', { ...asked, limit: 2 });
    const hail = { clause: '(hail OR snow)', missed: 3, invented: 1 };
    expect(told).toEqual({
      notice: NOTICE,
      recent: '0 of 6 recent events match; the demo feed invented 0 of the 0 and 1 of the 6.',
      clauses: [
        { clause: 'storm', missed: 0 },
        {
          clause: 'rain',
          missed: 1,
          untrusted_content: { samples: ['«storm» in Quarry with «hail»'] },
        },
        {
          ...hail,
          invented_samples: 1,
          untrusted_content: { samples: ['«storm», «rain», again', '«storm» of the demo with «rain»'] },
        },
      ],
    });
    const three = await on.answer<Missed>('near_misses', { ...asked, limit: 3 });
    expect(three.clauses[2]).toMatchObject({
      invented_samples: 1,
      untrusted_content: { samples: { length: 3 } },
    });
    const none = await on.answer<Missed>('near_misses', { ...asked, limit: 0 });
    expect(none).not.toHaveProperty('notice');
    expect(none.clauses[2]).toEqual(hail);
  });

  it('lists the clauses that keep the most out, and says how many there are beside them', async () => {
    await using on = await stage();
    const words = Array.from({ length: 40 }, (_, at) => `-word${at}`).join(' ');
    const { clauses, clauses_left_out } = await on.answer<Missed>('near_misses', {
      platform: 'x',
      value: `rain ${words}`,
    });
    expect([clauses.length, clauses_left_out]).toEqual([32, 9]);
    expect(await on.answer('near_misses', { platform: 'x', value: 'rain' })).not.toHaveProperty('clauses_left_out');
  });

  it('cuts a clause that is very long', async () => {
    await using on = await stage();
    const words = Array.from({ length: 60 }, (_, at) => `word${at}`).join(' OR ');
    const { clauses } = await on.answer<Missed>('near_misses', { platform: 'x', value: `storm (${words})` });
    expect(clauses[1]!.clause).toBe(`(${words}`.slice(0, 200).concat('…'));
  });
});

describe('explain_post', () => {
  it('shows the parts that decide, and the smallest changes that match it', async () => {
    await using on = await stage();
    await on.rule('Storms', 'storm (rain OR (hail -quarry))');
    const { coverage: _, ...told } = await on.answer('explain_post', { rule_id: 'Storms', text: 'storm in Quarry' });
    expect(told).toEqual({
      notice: NOTICE,
      matched: false,
      platform: 'x',
      found: 'recent',
      explanation: [
        'no: all of',
        '  no: any of',
        '    no: text has "rain"',
        '    no: all of',
        '      no: not',
        '        yes: text has "quarry"',
      ],
      recent: '3 of 6 recent events match; the demo feed invented 1 of the 3 and 1 of the 6.',
      untrusted_content: {
        passage: 'storm in Quarry with hail',
        nearest: {
          change: '(rain OR hail) instead of (rain OR (hail -quarry))',
          value: 'storm (rain OR hail)',
          recent: '1 more',
        },
        other: { change: 'without (rain OR (hail -quarry))', value: 'storm', recent: '2 more' },
      },
    });
  });

  it('says that the demo feed invented the post, or what a change would find', async () => {
    await using on = await stage();
    await on.rule('Storms', 'storm hail');
    const told = await on.answer('explain_post', { rule_id: 'Storms', text: 'the demo' });
    expect(told).toMatchObject({
      demo: true,
      explanation: ['no: all of', '  no: text has "hail"'],
      untrusted_content: { nearest: { recent: expect.stringMatching(/^\d more, 1 of them invented$/) as string } },
    });
  });
});

it('explain_match says of every part whether it holds, and where', async () => {
  await using on = await stage();
  await on.rule('Storms', 'storm (rain OR (hail -quarry))');
  await on.post(on.alice, 'storm with rain, hail');
  const { matches } = await on.answer<{ matches: { id: string }[] }>('list_matches', {});
  const told = await on.answer('explain_match', { match_id: matches[0]!.id });
  expect(told['explanation']).toEqual([
    'yes: all of',
    '  yes: text has "storm" (data.text 0–5)',
    '  yes: any of',
    '    yes: text has "rain" (data.text 11–15)',
    '    yes: all of',
    '      yes: text has "hail" (data.text 17–21)',
    '      yes: not',
    '        no: text has "quarry"',
  ]);
  expect(told).not.toHaveProperty('notice');
});
