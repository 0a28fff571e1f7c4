import { describe, expect, it } from 'vitest';
import type { Rule } from '../../packages/client/src/index.ts';
import { printRuleFile, readRuleFile } from './rule-file.ts';
import { newTexts, planChanges } from './rule-plan.ts';

interface Parts {
  readonly intent?: string;
  readonly x?: string;
  readonly firehose?: string;
  readonly options?: { quality?: boolean; nsfw?: boolean };
  readonly paused?: boolean;
  readonly alerts?: { surge?: boolean; silence?: boolean };
  readonly sources?: string[];
}

function ruleOf(
  id: string,
  name: string,
  { intent = '', x, firehose, options, paused = false, alerts, sources }: Parts,
): Rule {
  const held = (translated_value: string, rule_type: 'premium' | 'regular') => ({
    platform_rule_id: '1',
    translated_value,
    rule_type,
    status: 'active' as const,
    match_count: 0,
    last_match_at: null,
  });
  return {
    id,
    name,
    intent,
    platforms: {
      ...(x !== undefined && { x: held(x, 'premium') }),
      ...(firehose !== undefined && { firehose: { ...held(firehose, 'regular'), ...(options && { options }) } }),
    },
    created_at: '2026-11-15T08:30:00.000Z',
    version: 1,
    paused,
    alerts: { surge: false, silence: false, ...alerts },
    ...(sources && { sources }),
  };
}

const read = (text: string) => readRuleFile('rules.yaml', text);
const plan = (text: string, rules: Rule[], keep = false) => planChanges(read(text).entries, rules, { keep });

describe('a file of rules', () => {
  it('is what the server has, and gives it back without a change', () => {
    const rules = [
      ruleOf('rule_1', 'Volcano: "news"', { intent: 'two\nlines', x: '(volcano OR lava) -"lava cake" #etna lang:en' }),
      ruleOf('rule_2', 'yes', { firehose: 'title:"a: b" AND url:*.png', options: { quality: true }, paused: true }),
      ruleOf('rule_3', 'twin', { x: '1234', firehose: 'null' }),
      ruleOf('rule_4', 'twin', { x: `${'long '.repeat(60)}end` }),
    ];
    const text = printRuleFile(rules);
    expect(plan(text, rules)).toEqual({ changes: [], unchanged: 4, problems: [] });
    expect(text.match(/ id: /g)).toHaveLength(2);
  });

  it.each([
    ['no YAML', 'rules:\n  - name: "a\n', /^rules\.yaml:3:1: /],
    ['no list', 'rules: 1\n', 'rules.yaml:1:8: rules: '],
    ['nothing in it', '', 'rules.yaml:1:1: rules: It is required.'],
    [
      'an unknown field',
      'rules:\n  - name: a\n    overrides: { x: a }\n    query: b\n',
      'rules.yaml:2:5: query: There is no such field.',
    ],
    [
      'a rule without a text',
      'rules:\n  - name: a\n    overrides: {}\n',
      'rules.yaml:3:16: rules.overrides: It needs a rule for one platform at least.',
    ],
    [
      'a text that is no text',
      'rules:\n  - name: a\n    overrides:\n      x: 2026\n',
      'rules.yaml:4:10: rules.overrides.x: It must be a string.',
    ],
    ['a rule without a name', 'rules:\n  - overrides: { x: a }\n', 'rules.yaml:2:5: rules.name: It is required.'],
    [
      'two of a name',
      'rules:\n  - { name: a, overrides: { x: a } }\n  - { name: a, overrides: { x: b } }\n',
      'rules.yaml:3:5: There is another rule "a" above.',
    ],
  ])('with %s is refused with the line', (_, text, message) => {
    expect(() => read(text)).toThrow(message);
  });

  it('is the same with the line ends and the mark that editors on Windows write', () => {
    const text =
      'rules:\n  - name: Etna\n    intent: >\n      Tell me\n      at once.\n    overrides:\n      x: |\n        etna lava\n';
    const windows = `\uFEFF${text.replaceAll('\n', '\r\n')}`;
    expect(read(windows).entries).toEqual(read(text).entries);
    expect(read(windows).placeOf(0, 'overrides', 'x')).toBe(read(text).placeOf(0, 'overrides', 'x'));
  });

  it('knows where its parts stand', () => {
    const file = read('rules:\n  - name: a\n    overrides:\n      x: lava\n');
    expect(file.placeOf(0, 'overrides', 'x')).toBe('rules.yaml:4:10');
    expect(file.placeOf(0, 'overrides', 'firehose')).toBe('rules.yaml:4:7');
  });
});

describe('the sources that a rule is limited to', () => {
  const sources = [
    { id: 'source_1', name: 'Harbour' },
    { id: 'source_2', name: 'twin' },
    { id: 'source_3', name: 'twin' },
    { id: 'hackernews', name: 'hackernews' },
    { id: 'source_4', name: 'hackernews' },
  ];
  const everywhere = { firehose: '*', sources: sources.map(({ id }) => id) };
  const plannedFor = (text: string, rules: Rule[]) => planChanges(read(text).entries, rules, { sources });

  it('are written by name where the name means one source, else by id, and read back as they were', () => {
    const rules = [ruleOf('rule_1', 'All', everywhere), ruleOf('rule_2', 'Free', { x: 'lava' })];
    const text = printRuleFile(rules, sources);
    expect(read(text).entries.map(({ options }) => options)).toEqual([
      { sources: ['Harbour', 'source_2', 'source_3', 'hackernews', 'source_4'] },
      undefined,
    ]);
    expect(plannedFor(text, rules)).toEqual({ changes: [], unchanged: 2, problems: [] });
  });

  it('are compared, whatever their order, and told by name', () => {
    const rules = [
      ruleOf('rule_1', 'same', { x: 'lava', sources: ['source_2', 'source_1'] }),
      ruleOf('rule_2', 'widened', { x: 'lava', sources: ['source_1'] }),
      ruleOf('rule_3', 'narrowed', { x: 'lava' }),
    ];
    const { changes } = plannedFor(
      `rules:
  - { name: same, overrides: { x: lava }, options: { sources: [Harbour, source_2, source_1] } }
  - { name: widened, overrides: { x: lava }, options: { sources: null } }
  - { name: narrowed, overrides: { x: lava }, options: { sources: [source_3, Harbour] } }
`,
      rules,
    );
    const field = 'options.sources';
    expect(changes).toMatchObject([
      { rule: { name: 'widened' }, differences: [{ field, from: '"Harbour"', to: undefined }] },
      {
        entry: { options: { sources: ['source_3', 'source_1'] } },
        differences: [{ field, from: undefined, to: '"Harbour", "source_3"' }],
      },
    ]);
  });

  it('are refused with their place where no source or several have the name', () => {
    const file = read(
      'rules:\n  - name: a\n    overrides: { x: a }\n    options:\n      sources: [Harbour, Etna, twin]\n',
    );
    const { problems } = planChanges(file.entries, [], { sources });
    expect(problems.map(({ index, path, message }) => `${file.placeOf(index, ...path)}: ${message}`)).toEqual([
      'rules.yaml:5:26: There is no source Etna. `sluice sources list` shows their ids.',
      'rules.yaml:5:32: Several sources are named twin. `sluice sources list` shows their ids.',
    ]);
    const anything = read('rules: [{ name: a, overrides: { firehose: "*" } }]').entries;
    const limits = expect.stringContaining('is for rules that are limited to sources');
    expect(planChanges(anything, [], { sources }).problems).toEqual([
      { index: 0, path: ['overrides', 'firehose'], message: limits },
    ]);
    expect(planChanges(anything, [ruleOf('rule_1', 'a', { firehose: 'lava' })], { sources }).problems).toHaveLength(1);
  });

  it('stay where a file does not say, as one that was written before files had them', () => {
    const rules = [
      ruleOf('rule_1', 'any', { firehose: '*', sources: ['source_1'] }),
      ruleOf('rule_2', 'anew', { x: 'lava', sources: ['source_2'] }),
    ];
    const { entries } = read(
      'rules:\n  - { name: any, overrides: { firehose: "*" } }\n  - { name: anew, overrides: { x: lava } }\n',
    );
    expect(planChanges(entries, rules, { sources })).toEqual({ changes: [], unchanged: 2, problems: [] });
    const { changes } = planChanges(entries, rules, { sources, replace: ['anew'] });
    expect(changes).toMatchObject([{ action: 'replace', entry: { options: { sources: ['source_2'] } } }]);
  });
});

describe('a plan', () => {
  const held = [
    ruleOf('rule_1', 'same', { x: 'lava' }),
    ruleOf('rule_2', 'text', { x: 'lava', intent: 'old' }),
    ruleOf('rule_3', 'moved', { x: 'lava' }),
    ruleOf('rule_4', 'flags', { firehose: 'lava', options: { quality: true } }),
    ruleOf('rule_5', 'gone', { x: 'lava' }),
    ruleOf('rule_6', 'old name', { x: 'lava' }),
  ];
  const text = `rules:
  - { name: same, overrides: { x: ' lava ' } }
  - { name: text, overrides: { x: magma }, paused: true }
  - { name: moved, overrides: { x: lava, firehose: lava } }
  - { name: flags, overrides: { firehose: lava }, options: { firehose: { quality: false } } }
  - { id: rule_6, name: new name, overrides: { x: lava } }
  - { name: new, overrides: { firehose: lava } }
`;

  it('says what differs, and deletes first', () => {
    const { changes, unchanged, problems } = plan(text, held);
    expect([unchanged, problems]).toEqual([1, []]);
    expect(
      changes.map((change) => [
        change.action,
        change.action === 'delete' ? change.rule.name : change.entry.name,
        'differences' in change ? change.differences.map(({ field, from, to }) => `${field}: ${from} → ${to}`) : [],
        newTexts(change).map(([name, value]) => `${name} ${value}`),
      ]),
    ).toEqual([
      ['delete', 'gone', [], []],
      ['update', 'text', ['intent: old → ', 'paused: false → true', 'overrides.x: lava → magma'], ['x magma']],
      ['update', 'moved', ['overrides.firehose: undefined → lava'], ['firehose lava']],
      ['update', 'flags', ['options.firehose: quality: true → quality: false'], []],
      ['update', 'new name', ['name: old name → new name'], []],
      ['create', 'new', [], ['firehose lava']],
    ]);
  });

  it('replaces a rule only where that is asked for by its name', () => {
    const { changes } = planChanges(read(text).entries, held, { keep: true, replace: ['same', 'text'] });
    expect(changes.flatMap((one) => (one.action === 'replace' ? [one.entry.name] : []))).toEqual(['same', 'text']);
  });

  it('leaves others alone when it is told to', () => {
    expect(plan(text, held, true).changes.some(({ action }) => action === 'delete')).toBe(false);
  });

  it('asks which is meant where it cannot know', () => {
    const twins = [ruleOf('rule_1', 'twin', { x: 'a' }), ruleOf('rule_2', 'twin', { x: 'b' })];
    const named = plan('rules: [{ name: twin, overrides: { x: c } }]', twins);
    expect(named).toMatchObject({
      changes: [],
      problems: [{ index: 0, message: expect.stringContaining('rule_1, rule_2') }],
    });
    expect(plan('rules: [{ id: rule_9, name: a, overrides: { x: c } }]', [])).toMatchObject({
      changes: [],
      problems: [{ message: 'There is no rule rule_9 on the server.' }],
    });
  });
});
