import { eld } from 'eld/small';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasSharedData, sharedLines } from '../../../test/stages/shared-data.ts';
import { type LanguageTable, mostLikely, readLanguageTable } from './language-table.ts';

let table: LanguageTable;
beforeAll(async () => {
  table = await readLanguageTable();
});

const PIECES = 81_206;

const TEXTS = [
  'The storm has reached the coast this morning',
  "J'ai vu l'orage d'aujourd'hui qu'on n'attendait pas",
  'Η καταιγίδα έφτασε στην ακτή σήμερα το πρωί',
  'Буря сегодня утром дошла до побережья',
  'العاصفة وصلت إلى الساحل هذا الصباح',
  '嵐は今朝、海岸に達しました',
  'พายุมาถึงชายฝั่งเมื่อเช้านี้',
  'a an the of Donaudampfschifffahrtsgesellschaft',
  `${'ab'.repeat(34)}no ${'cd'.repeat(35)}en ${'ef'.repeat(36)}de`,
  `${'Der Sturm kam an '.repeat(30)} and then the rest of it`,
  'ñandú'.repeat(100),
  '𝔱𝔥𝔢 𝔰𝔱𝔬𝔯𝔪 and 🌩️ the sea',
  "'quoted' `text` ’with’ marks''",
  "'. 'tis. ''the'' storm ..'''. 'twas''",
  `the ${"'".repeat(300)} storm .${'’'.repeat(300)}a reached the coast`,
  '',
  '12 :: 30',
];

describe('the table of languages', () => {
  it('is read in several turns, so that others have theirs in between', async () => {
    let turns = 0;
    const others = setInterval(() => turns++, 0);
    await readLanguageTable();
    clearInterval(others);
    expect(turns).toBeGreaterThan(2);
  });

  it('holds every piece', () => {
    let pieces = 0;
    for (let at = 1; at < table.scores.length; at += 1 + 2 * table.scores[at]!) pieces++;
    expect(pieces).toBe(PIECES);
    expect(table.codes).toEqual(Object.values(eld.info().Languages));
  });

  it.each(TEXTS)('gives the language that the package gives: %s', (text) => {
    expect(mostLikely(table, text) ?? '').toBe(eld.detect(text).language);
  });
});

describe.runIf(hasSharedData)('shared: the table of languages', () => {
  it('gives the language that the package gives', () => {
    const some = sharedLines<{ text: string }>('posts/short-texts.ndjson.gz').filter((_, at) => at % 10 === 0);
    const texts = some.map(({ text }) => text);
    const other = texts.filter((text) => (mostLikely(table, text) ?? '') !== eld.detect(text).language);
    expect(other).toEqual([]);
  });
});
