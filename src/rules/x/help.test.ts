import { describe, expect, it } from 'vitest';
import { xLanguage } from './language.ts';
import { OPERATORS } from './syntax-table.ts';

const language = xLanguage({ level: 'enterprise+embedding' });
const { help } = language;

describe('the help', () => {
  it.each(help.operators)('shows $name in a valid rule without a remark', ({ example }) => {
    expect(language.parse(example).diagnostics).toEqual([]);
  });

  it.each(help.examples)('says "$intent" in a valid rule without a remark', ({ rule }) => {
    expect(language.parse(rule).diagnostics).toEqual([]);
  });

  it.each(help.operators)('says rightly whether $name stands alone and can be negated', (operator) => {
    const clause = operator.example.split(' ').find((part) => part.includes(operator.name)) ?? operator.example;
    if (!clause.includes(':') || clause.includes('[') || clause.includes('"')) return;
    const bare = clause.replace(/^-/, '');
    if (operator.name !== 'is:nullcast') {
      expect(language.parse(bare).query !== undefined).toBe(operator.standalone);
    }
    expect(language.parse(`lava -${bare}`).query !== undefined).toBe(operator.negatable);
  });

  it('has every operator, by whichever name', () => {
    const text = JSON.stringify(help);
    for (const { name, aliases = [] } of OPERATORS) {
      for (const spelling of [name, ...aliases]) expect(text).toContain(`${spelling}:`);
    }
  });

  it('leaves out what the level does not have', () => {
    expect(xLanguage().help.operators.map((one) => one.name)).not.toContain('embedding');
  });
});
