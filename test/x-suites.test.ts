/** Third parties' verdicts on x rules and on the entities of posts. */
import { describe, expect, it } from 'vitest';
import { extractEntities } from '../src/rules/x/entities.ts';
import { xLanguage } from '../src/rules/x/language.ts';
import { hasSharedData, sharedJson } from './stages/shared-data.ts';

const language = xLanguage();
const isValid = (rule: string) => language.parse(rule).query !== undefined;

interface RuleCase {
  readonly rule: string;
  readonly valid: boolean;
  readonly only_current_v2_operators?: boolean;
}

/** Rules on which we differ from a third party's parser of PowerTrack, and why. */
const ON_PURPOSE: Readonly<Record<string, string>> = {
  'sample:5': 'the stream refuses sample: alone; PowerTrack did not',
  'is:verified': 'the stream refuses is: alone',
  'is:retweet': 'the stream refuses is: alone',
  'has:profile_geo': 'no such value on the stream',
  'has:profile_geo_subregion': 'no such value on the stream',
  'source:"Twitter for iPhone"': 'the stream refuses source: alone',
};

describe.runIf(hasSharedData)('shared: x rules judged by others', () => {
  it.each(sharedJson<RuleCase[]>('rules/x-rule-verdicts.json'))("X's verdict on $rule", ({ rule, valid }) => {
    expect(isValid(rule)).toBe(valid);
  });

  const current = sharedJson<RuleCase[]>('rules/powertrack-grammar-cases.json').filter(
    (one) => one.only_current_v2_operators,
  );
  it.each(current)("a PowerTrack parser's verdict on $rule", ({ rule, valid }) => {
    expect(isValid(rule)).toBe(rule in ON_PURPOSE ? !valid : valid);
  });

  it('accepts the rules that X answered with 201', () => {
    const calls = sharedJson<ApiCall[]>('rules/x-stream-rule-api-examples.json').filter((call) => call.status === 201);
    const rules = calls.flatMap((call) => call.request.body?.add ?? []).map((one) => one.value);
    expect(rules.length).toBeGreaterThan(0);
    expect(rules.filter((rule) => !isValid(rule))).toEqual([]);
  });

  it.each(sharedJson<string[]>('conformance/strings/naughty-strings.json'))('reads %j without harm', (text) => {
    const { query, diagnostics } = language.parse(text);
    expect(query === undefined).toBe(diagnostics.some((one) => one.severity === 'error'));
    expect(query && language.parse(language.print(query)).query).toEqual(query);
    extractEntities(text);
  });
});

interface ApiCall {
  readonly status: number;
  readonly request: { readonly body: { readonly add?: readonly { readonly value: string }[] } | null };
}

interface Extraction<T> {
  readonly description: string;
  readonly text: string;
  readonly expected: T;
}

interface Extractions {
  readonly mentions: readonly Extraction<string[]>[];
  readonly urls: readonly Extraction<string[]>[];
  readonly hashtags: readonly Extraction<string[]>[];
  readonly hashtags_with_indices: readonly Extraction<{ hashtag: string; indices: [number, number] }[]>[];
  readonly validate_hashtags: readonly Extraction<boolean>[];
}

describe.runIf(hasSharedData)('shared: twitter-text extraction', () => {
  const suite = sharedJson<Extractions>('conformance/twitter-text-extract.json');

  it.each(suite.mentions)('mentions: $description', ({ text, expected }) => {
    expect(extractEntities(text).mentions.map((one) => one.username)).toEqual(expected);
  });
  it.each(suite.urls)('links: $description', ({ text, expected }) => {
    expect(extractEntities(text).urls.map((one) => one.url)).toEqual(expected);
  });
  it.each(suite.hashtags)('hashtags: $description', ({ text, expected }) => {
    expect(extractEntities(text).hashtags.map((one) => one.tag)).toEqual(expected);
  });
  it.each(suite.hashtags_with_indices)('places of hashtags: $description', ({ text, expected }) => {
    const found = extractEntities(text).hashtags.map(({ tag, start, end }) => ({
      hashtag: tag,
      indices: [start, end],
    }));
    expect(found).toEqual(expected);
  });
  it.each(suite.validate_hashtags)('valid hashtags: $description', ({ text, expected }) => {
    const [tag] = extractEntities(text).hashtags;
    expect(tag?.start === 0 && tag.end === text.length).toBe(expected);
  });
});
