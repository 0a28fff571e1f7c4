import { describe, expect, it } from 'vitest';
import { readCorpus } from '../../test/stages/corpus.ts';
import type { Platform } from '../domain/platform.ts';
import { languages } from './languages.ts';
import { translate } from './translate.ts';
import type { Translation } from './translation.ts';

const LANGUAGES = languages({ level: 'enterprise+embedding' });

function translated(from: Platform, rule: string): Translation {
  const { query } = LANGUAGES[from].parse(rule);
  return translate(query!, from === 'x' ? 'firehose' : 'x');
}

describe('from x to firehose', () => {
  it.each([
    ['volcano', 'volcano', ['exact']],
    ['"lava flow" lang:en -is:retweet', '"lava flow" AND language:en', ['wider', 'exact', 'impossible']],
    ['#etna OR (volcano -from:usgs)', 'etna OR volcano', ['wider', 'exact', 'impossible']],
    ['lava -#etna', 'lava AND NOT etna', ['exact', 'narrower']],
    ['entity:"Mount Etna" lang:iw', '"mount etna" AND language:he', ['narrower', 'exact']],
    ['"on the roof"~2', 'roof', ['wider']],
    ['url_title:"big news"', 'title:"big news"', ['narrower']],
    ['url_contains:"a*b"', String.raw`url:*a\*b*`, ['narrower']],
    ['lava lang:xx', 'lava', ['exact', 'impossible']],
    ['火山', '"火 山"', ['wider']],
    ['from:usgs', undefined, ['impossible']],
  ])('%s becomes %s', (rule, text, verdicts) => {
    const translation = translated('x', rule);
    expect(translation.text).toBe(text);
    expect(translation.clauses.map((clause) => clause.verdict)).toEqual(verdicts);
  });

  it('says what leaving a clause out does to the whole', () => {
    const reasons = (rule: string) => translated('x', rule).clauses.map((clause) => clause.reason);
    expect(reasons('lava -is:retweet')[1]).toMatch(/wider$/);
    expect(reasons('lava OR from:usgs')[1]).toMatch(/narrower$/);
    expect(reasons('lava -(magma from:usgs)')[2]).toMatch(/narrower$/);
  });
});

describe('from firehose to x', () => {
  it.each([
    ['tesla AND recent:24h', 'tesla', ['exact', 'exact']],
    ['title:tesla AND language:he', 'tesla lang:iw', ['wider', 'exact']],
    ['tesla AND NOT title:old', 'tesla -old', ['exact', 'narrower']],
    ['"electric cars"', '"electric cars"', ['narrower']],
    ['"state of the art"', '"state art"~2', ['wider']],
    ['"b c"~9', '"b c"~6', ['narrower']],
    ['tesal~1', 'tesal', ['narrower']],
    ['node.js', '"node.js"', ['exact']],
    ['domain:example.com', 'url:"example com"', ['wider']],
    [String.raw`url:*\/blog\/*`, 'url_contains:"/blog/"', ['wider']],
    ['lava AND removed:old', 'lava', ['exact', 'impossible']],
    ['lava AND page_category:"/News"', 'lava', ['exact', 'impossible']],
    ['tesl*', undefined, ['impossible']],
    ['*:* NOT lava', undefined, ['exact', 'impossible']],
    ['recent:24h', undefined, ['exact', 'impossible']],
  ])('%s becomes %s', (rule, text, verdicts) => {
    const translation = translated('firehose', rule);
    expect(translation.text).toBe(text);
    expect(translation.clauses.map((clause) => clause.verdict)).toEqual(verdicts);
  });
});

const rules = (['x', 'firehose'] as const).flatMap((platform) =>
  readCorpus(platform)
    .filter((one) => LANGUAGES[platform].parse(one.rule).query !== undefined)
    .map((one) => [platform, one.rule] as const),
);

it.each(rules)('%s rule %s is translated to a valid rule, the same each time, or to none', (platform, rule) => {
  const translation = translated(platform, rule);
  expect(translated(platform, rule)).toEqual(translation);
  if (translation.text === undefined) {
    expect(translation.clauses.some((clause) => clause.verdict === 'impossible')).toBe(true);
  } else {
    const { query } = LANGUAGES[platform === 'x' ? 'firehose' : 'x'].parse(translation.text);
    expect(query).toBeDefined();
  }
});
