/**
 * A hundred thousand random rules, each translated, and both tried on posts and pages that say the same, some of them in words
 * that people wrote. What a translation says about its losses must be so every time.
 */

import { translationDifferential } from '../generated/translation-differential.ts';
import { hasSharedData, sharedLines } from '../stages/shared-data.ts';

/** `npm run campaign -- translate [--rules N] [--seed N]` */
export async function translateCampaign(options: { rules?: number; seed?: number }): Promise<boolean> {
  const { rules = 100_000, seed = Date.now() % 2 ** 31 } = options;
  console.log(`translate: ${rules} rules, seed ${seed}`);
  const texts = hasSharedData
    ? sharedLines<{ text: string }>('posts/short-texts.ndjson.gz').map(({ text }) => text)
    : [];
  const report = translationDifferential({ rules, seed, texts });
  for (const one of [...report.unparsed, ...report.misread, ...report.wrong].slice(0, 20)) console.log(one);
  console.log(
    `${report.translated} translated, ${report.pairs} pairs of rule and text, ${texts.length} texts by people to draw from: ${report.caught} caught, ${report.different} where rule and translation differ`,
  );
  console.log(
    Object.entries(report.verdicts)
      .map(([verdict, count]) => `${verdict} ${count}`)
      .join(', '),
  );
  console.log(
    `${report.unparsed.length} that do not parse, ${report.misread.length} given up because they would be read otherwise, ${report.wrong.length} where the stated direction is wrong`,
  );
  return report.unparsed.length + report.wrong.length === 0 && report.caught > 0;
}
