import { expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { fakeUpstream } from '../../../test/stages/fake-upstream.ts';
import { openService } from '../../../test/stages/service.ts';
import { localPlatform } from '../../platforms/local/local.ts';
import type { Language } from '../../rules/language.ts';
import { languages } from '../../rules/languages.ts';
import { withParseCache } from '../parts/read-context.ts';

const real = languages({ local: true });

/** The language, and the texts that it really parsed. */
function counting(language: Language) {
  const parsed: string[] = [];
  const parse: Language['parse'] = (text) => {
    parsed.push(text);
    return language.parse(text);
  };
  const queryOf: Language['queryOf'] = (text) => {
    parsed.push(text);
    return language.queryOf(text);
  };
  return { parsed, language: { ...language, parse, queryOf } };
}

it('reads the text of a new rule once to check, pack and match it, and once for whether it can match at all', async () => {
  const { parsed, language } = counting(real.x);
  const x = fakeUpstream('x', { limit: 2 });
  const platforms = { x: x.platform, firehose: localPlatform('firehose') };
  const clock = fakeClock();
  await using test = await openService({ clock, languages: { ...real, x: language }, platforms });
  const alice = await test.caller('alice');
  const create = (value: string) =>
    test.call(alice, 'createRule', { name: value, intent: '', platforms: ['x'], overrides: { x: value } });
  let created = 0;
  const creating = Promise.all(['storm', 'rain', 'hail'].map(async (value) => create(value).finally(() => created++)));
  // A text that moves into a pack is held twice for a while.
  while (created < 3) await clock.pass(1_000);
  await creating;
  expect(x.rules.size).toBeLessThan(3);
  for (const value of ['storm', 'rain', 'hail']) expect(parsed.filter((text) => text === value)).toHaveLength(2);
});

it('reads the query of a text once, and its diagnostics when they are asked for', () => {
  const { parsed, language } = counting(real.x);
  const cached = withParseCache(language);
  expect(cached.queryOf('storm OR rain')).toBe(cached.queryOf('storm OR rain'));
  expect(parsed).toHaveLength(1);
  expect(cached.parse('storm OR rain')).toEqual(real.x.parse('storm OR rain'));
  expect(cached.queryOf('storm OR rain')).toBe(cached.parse('storm OR rain').query);
  expect(parsed).toHaveLength(2);
  expect(cached.queryOf('(')).toBeUndefined();
});

it('keeps a bounded number of characters, and no text with errors', () => {
  const { parsed, language } = counting(real.x);
  const cached = withParseCache(language);
  expect(cached.parse('storm')).toBe(cached.parse('storm'));
  cached.parse('(');
  cached.parse('(');
  expect(parsed).toEqual(['storm', '(', '(']);
  for (let at = 0; at < 160; at++) expect(cached.parse(`${'a'.repeat(900)}${at}`).query).toBeDefined();
  parsed.length = 0;
  cached.parse('storm');
  expect(parsed).toEqual(['storm']);
});
