import { beforeAll, describe, expect, it } from 'vitest';
import { hasSharedData, sharedLines } from '../../../test/stages/shared-data.ts';
import { declaredLanguage, detectLanguage, loadLanguages } from './language.ts';

beforeAll(loadLanguages);

describe('languages', () => {
  it.each([
    ['The storm has reached the coast this morning', 'en'],
    ['Der Sturm hat heute Morgen die Küste erreicht', 'de'],
    ['今天早上暴风雨来到了这个国家的东部，人们说没有问题', 'zh-cn'],
    ['今天早上暴風雨來到了這個國家的東部，人們說沒有問題', 'zh-tw'],
    ['Aaj subah toofan aa gaya hai aur bahut log ghar mein hain', 'hi'],
    ['https://example.org/path @someone', undefined],
    ['12:30 …', undefined],
    ['', undefined],
  ])('%s is %s', (text, language) => expect(detectLanguage(text)).toBe(language));

  it.each([
    ['en-US', 'en'],
    ['EN', 'en'],
    ['nb-NO', 'no'],
    ['zh', 'zh-cn'],
    ['zh_TW', 'zh-tw'],
    ['zh-Hant-HK', 'zh-tw'],
    ['und', undefined],
    ['english', undefined],
    [7, undefined],
  ])('%s as declared is %s', (tag, language) => expect(declaredLanguage(tag)).toBe(language));
});

describe.runIf(hasSharedData)('shared: languages of short texts', () => {
  it('are told right nine times in ten where there are more than 40 characters', () => {
    const judged = sharedLines<{ text: string; lang?: string }>('posts/short-texts.ndjson.gz').flatMap(
      ({ text, lang }) =>
        lang === undefined
          ? []
          : [{ lang, isLong: text.length > 40, isRight: detectLanguage(text)?.slice(0, 2) === lang }],
    );
    const right = (some: typeof judged) => some.filter(({ isRight }) => isRight).length / some.length;
    const percent = (some: typeof judged) => `${(right(some) * 100).toFixed(1)} %`;
    const long = judged.filter(({ isLong }) => isLong);
    const languages = [...new Set(long.map(({ lang }) => lang))].toSorted();
    const each = languages.map((lang) => `${lang} ${percent(long.filter((one) => one.lang === lang))}`);
    const short = judged.filter(({ isLong }) => !isLong);
    console.info(
      `languages: ${percent(long)} over 40 characters (${each.join(', ')}); ${percent(short)} of shorter ones`,
    );
    expect(right(long)).toBeGreaterThanOrEqual(0.9);
  });
});
