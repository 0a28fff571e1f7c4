import { describe, expect, it } from 'vitest';
import { readCorpus } from '../../test/stages/corpus.ts';
import type { Platform } from '../domain/platform.ts';
import { languages } from './languages.ts';
import { all, any, not, type Query } from './query.ts';
import { translate } from './translate.ts';
import type { Translation, TranslationVerdict } from './translation.ts';
import { xLanguage } from './x/language.ts';

const LANGUAGES = languages({ level: 'enterprise+embedding' });

function translated(from: Platform, rule: string): Translation {
  const query = LANGUAGES[from].queryOf(rule);
  return translate(query!, from === 'x' ? 'firehose' : 'x');
}

describe('from x to firehose', () => {
  it.each<[string, string | undefined, TranslationVerdict[]]>([
    ['volcano', 'volcano', ['narrower']],
    ['politics', 'politics', ['differs']],
    ['"lava flow" lang:en -is:retweet', '"lava flow" AND language:en', ['differs', 'exact', 'impossible']],
    ['#etna OR (volcano -from:usgs)', 'etna OR volcano', ['differs', 'narrower', 'impossible']],
    ['lava -etna', 'lava AND NOT etna', ['narrower', 'wider']],
    ['entity:"Mount Etna" lang:iw', '"mount etna" AND language:he', ['differs', 'exact']],
    ['"on the roof"~2', 'roof', ['differs']],
    ['url_title:"big news"', 'title:"big news"', ['differs']],
    ['url_contains:"a*b"', String.raw`url:*a\*b*`, ['narrower']],
    ['url_contains:"example.org/blog/"', String.raw`url:*example.org\/blog\/*`, ['narrower']],
    ['url_contains:"a!b (c) ~d"', String.raw`url:*a\!b\ \(c\)\ \~d*`, ['narrower']],
    ['url:"example.org"', 'url:*example?org*', ['differs']],
    ['lava lang:xx', 'lava', ['narrower', 'impossible']],
    ['lava lang:zh-CN', 'lava AND language:zh-cn', ['narrower', 'narrower']],
    ['lava place:paris', 'lava', ['narrower', 'impossible']],
    ['火山', '"火 山"', ['differs']],
    ['火', '火', ['narrower']],
    ['ニュース', '*ニュース*', ['differs']],
    ['สวัสดี', '*สวัสดี*', ['differs']],
    ['İstanbul', 'i̇stanbul OR istanbul', ['differs']],
    ['ΟΔΟΣ', 'οδος OR οδοσ', ['differs']],
    ['"☀️" lava', '(☀ OR ☀️) AND lava', ['narrower', 'narrower']],
    ['"don\'t"', "don't", ['narrower']],
    ['ᥨᥟᥑᥭ', 'ᥨᥟᥑᥭ', ['differs']],
    ['from:usgs', undefined, ['impossible']],
  ])('%s becomes %s', (rule, text, verdicts) => {
    const translation = translated('x', rule);
    expect(translation.text).toBe(text);
    expect(translation.clauses.map((clause) => clause.verdict)).toEqual(verdicts);
  });

  it.each<[string, ('wider' | 'narrower' | undefined)[]]>([
    ['lava -is:retweet', [undefined, 'wider']],
    ['lava OR from:usgs', [undefined, 'narrower']],
    ['lava -(magma from:usgs)', [undefined, undefined, 'narrower']],
    ['lava (is:reply OR has:links)', [undefined, 'wider', 'wider']],
    ['lava -(is:reply OR has:links)', [undefined, 'wider', 'wider']],
    ['lava OR (magma (is:reply OR has:links))', [undefined, undefined, 'wider', 'wider']],
    ['lava OR (from:usgs (is:reply OR has:links))', [undefined, 'narrower', 'narrower', 'narrower']],
    ['from:usgs (is:reply OR has:links)', [undefined, undefined, undefined]],
  ])('says what leaving clauses of %s out does to the whole', (rule, effects) => {
    const { clauses } = translated('x', rule);
    expect(clauses.map((clause) => clause.leftOut)).toEqual(effects);
    for (const { leftOut, reason } of clauses.filter((clause) => clause.leftOut !== undefined))
      expect(reason).toMatch(new RegExp(`${leftOut}$`));
  });

  it('says of the whole what its clauses make of it', () => {
    expect(translated('x', 'lava lang:en').verdict).toBe('narrower');
    expect(translated('x', 'lava -magma').verdict).toBe('differs');
    expect(translated('x', 'lava is:reply').verdict).toBe('differs');
    expect(translated('firehose', 'lava AND removed:old').verdict).toBe('wider');
    expect(translated('x', 'from:usgs').verdict).toBe('impossible');
  });
});

describe('from firehose to x', () => {
  it.each<[string, string | undefined, TranslationVerdict[]]>([
    ['tesla AND recent:24h', 'tesla', ['exact', 'wider']],
    ['title:tesla AND language:he', 'tesla lang:iw', ['wider', 'exact']],
    ['tesla AND NOT title:old', 'tesla -old', ['wider', 'narrower']],
    ['tesla AND NOT (ford OR recall)', 'tesla -ford -recall', ['wider', 'narrower', 'narrower']],
    ['"brown fox"', '"brown fox"~1', ['wider']],
    ['"wi-fi"', '"wi fi"~1', ['differs']],
    ['"日本"', '日本', ['differs']],
    ['"東京タワー"', '東京タワー', ['differs']],
    ['ニュース', 'ニュース', ['wider']],
    ['"state of the art"', '"state art"~2', ['differs']],
    ['"b c"~9', '"b c"~6', ['differs']],
    ['tesal~1', 'tesal', ['differs']],
    ['node.js', '"node.js"', ['wider']],
    ['istanbul', 'istanbul', ['differs']],
    ['ΟΔΟΣ', 'οδος', ['wider']],
    ['domain:example.com', 'url:"example com"', ['wider']],
    [String.raw`url:*\/blog\/*`, 'url_contains:"/blog/"', ['wider']],
    [String.raw`url:https\:\/\/acme.io\/pri*`, 'url_contains:"https://acme.io/pri"', ['wider']],
    ['domain:*.example.*', 'url_contains:".example."', ['wider']],
    ['lava AND removed:old', 'lava', ['wider', 'impossible']],
    ['lava AND page_category:"/News"', 'lava', ['wider', 'impossible']],
    ['lava AND language:af', 'lava', ['wider', 'impossible']],
    ['lava AND language:zh-cn', 'lava lang:zh-CN', ['wider', 'wider']],
    ['lava AND NOT (ford OR ford)', 'lava -ford', ['wider', 'narrower', 'narrower']],
    ['url:*acme* AND url:*acme*news*', 'url_contains:acme url_contains:news', ['wider', 'wider']],
    ['tesl*', undefined, ['impossible']],
    ['*:* NOT lava', undefined, ['narrower', 'impossible']],
    ['recent:24h', undefined, ['exact', 'impossible']],
  ])('%s becomes %s', (rule, text, verdicts) => {
    const translation = translated('firehose', rule);
    expect(translation.text).toBe(text);
    expect(translation.clauses.map((clause) => clause.verdict)).toEqual(verdicts);
  });

  it('is as long as the level of X allows', () => {
    const words = Array.from({ length: 100 }, (_, at) => `eruption${at}`).join(' OR ');
    const query = LANGUAGES.firehose.queryOf(words)!;
    expect(translate(query, 'x').text).toBeUndefined();
    expect(translate(query, 'x', undefined, xLanguage({ level: 'enterprise' })).text).toHaveLength(words.length);
  });

  it('visits each part of a deeply negated rule once', () => {
    const word = (term: string): Query => ({ kind: 'term', field: 'added', term });
    let query = word('a');
    for (let depth = 0; depth < 100; depth++) query = any([word(`b${depth}`), all([word(`c${depth}`), not(query)])]);
    expect(translate(query, 'x').clauses.filter(({ becomes }) => becomes !== undefined)).toHaveLength(201);
  });

  it('says of a range of dates that the stream is live', () => {
    expect(translated('firehose', 'publish_time:[2026-01-01 TO *] AND lava').clauses[0]!.reason).toMatch(/live/);
  });
});

const rules = (['x', 'firehose'] as const).flatMap((platform) =>
  readCorpus(platform)
    .filter((one) => LANGUAGES[platform].queryOf(one.rule) !== undefined)
    .map((one) => [platform, one.rule] as const),
);

it.each(rules)('%s rule %s is translated to a valid rule, the same each time, or to none', (platform, rule) => {
  const translation = translated(platform, rule);
  expect(translated(platform, rule)).toEqual(translation);
  const { text, clauses } = translation;
  expect(text !== undefined || clauses.some((clause) => clause.verdict === 'impossible')).toBe(true);
  const { query } = text === undefined ? translation : LANGUAGES[platform === 'x' ? 'firehose' : 'x'].parse(text);
  expect(query).toEqual(translation.query);
});

it('says of an exclusion what gets through, and of a word with signs what pages know of it', () => {
  const reasonOf = (rule: string) =>
    translate(languages().x.queryOf(rule)!, 'firehose').clauses.map(({ clause, reason }) => [clause, reason]);
  expect(reasonOf('volcano -game')).toContainEqual([
    '-game',
    "pages that say game's and game.com, words of their own there, get through",
  ]);
  expect(reasonOf('C++')).toEqual([['"c++"', 'on pages this is the word c alone, whatever signs stand beside it']]);
});
