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

  const simple = help.operators
    .map((operator) => ({
      ...operator,
      clause: operator.example.split(' ').find((part) => part.startsWith(operator.name)),
    }))
    .filter(({ clause }) => clause !== undefined && !/["[]/.test(clause));
  it.each(simple)('says rightly that $clause stands alone: $standalone, can be negated: $negatable', (one) => {
    expect(language.parse(one.clause!).query !== undefined).toBe(one.standalone);
    expect(language.parse(`lava -${one.clause}`).query !== undefined).toBe(one.negatable);
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
