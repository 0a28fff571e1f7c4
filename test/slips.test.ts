/**
 * People and language models type slips instead of the rule they mean: each fix that is offered must mean one of the
 * things that the slip can be typed for. Meanings are compared by the scan, over events made of both texts' terms.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Platform } from '../src/domain/platform.ts';
import { holds } from '../src/engine/scan.ts';
import { languages } from '../src/rules/languages.ts';
import type { Query } from '../src/rules/query.ts';
import { suggestionsFor } from '../src/rules/suggest.ts';
import { EVENT_NOW, eventsFor } from './query-events.ts';

interface Slip {
  readonly typed: string;
  readonly meant: readonly string[];
}

const LEAST_SLIPS = 150;
const LEAST_SHARE = 0.97;

/** `\u00a0` stands for what a line does not show. */
const shown = (text: string) =>
  text.replaceAll(/\\u([0-9a-f]{4})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));

function readSlips(platform: Platform): Slip[] {
  const path = join(import.meta.dirname, 'corpus', 'slips', `${platform}.txt`);
  const slips: { typed: string; meant: string[] }[] = [];
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const [, sign = '', text = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    if (sign === platform) slips.push({ typed: shown(text), meant: [] });
    else if (sign === '=') slips.at(-1)!.meant.push(shown(text));
  }
  return slips;
}

type Likeness = 'same' | 'other' | 'opposite';

/** Opposite: both match something, and never the same event. */
function compare(platform: Platform, one: Query, other: Query): Likeness {
  const seen = { one: false, other: false, both: false, differ: false };
  for (const event of eventsFor(platform, [one, other])) {
    const [left, right] = [holds(one, event, EVENT_NOW), holds(other, event, EVENT_NOW)];
    seen.one ||= left;
    seen.other ||= right;
    seen.both ||= left && right;
    seen.differ ||= left !== right;
  }
  // Nothing is known when neither matches anything.
  if (!seen.differ) return seen.one ? 'same' : 'other';
  return seen.one && seen.other && !seen.both ? 'opposite' : 'other';
}

interface Offered {
  readonly typed: string;
  readonly offered: string;
  readonly likeness: Likeness;
}

describe.each(['x', 'firehose'] as const)('slips on %s', (platform) => {
  const language = languages()[platform];
  const parse = (text: string) => language.parse(text);
  const slips = readSlips(platform);

  /** The text after a fix, with what is left to mend mended by the likeliest fixes. */
  function mended(text: string): string {
    let now = text;
    for (let round = 0; round < 8; round++) {
      const next = parse(now).diagnostics.find(({ fixes }) => fixes !== undefined);
      const value = next && suggestionsFor(now, next, parse)[0]?.value;
      if (value === undefined || value === now) return now;
      now = value;
    }
    return now;
  }

  const offers: Offered[] = slips.flatMap(({ typed, meant }) => {
    const texts = parse(typed).diagnostics.flatMap((one) =>
      suggestionsFor(typed, one, parse).map(({ value }) => value),
    );
    const meanings = meant.map((text) => parse(text).query!);
    return [...new Set(texts.map(mended))].map((offered) => {
      const likenesses = meanings.map((meaning) => compare(platform, parse(offered).query!, meaning));
      const likeness = likenesses.includes('same')
        ? 'same'
        : likenesses.every((one) => one === 'opposite')
          ? 'opposite'
          : 'other';
      return { typed, offered, likeness };
    });
  });

  it('are many, each with meanings that are valid rules without a warning', () => {
    expect(slips.length).toBeGreaterThanOrEqual(LEAST_SLIPS);
    const wrong = slips.flatMap(({ meant }) => meant).filter((text) => parse(text).diagnostics.length > 0);
    expect(wrong).toEqual([]);
    expect(slips.filter(({ meant }) => meant.length === 0)).toEqual([]);
  });

  it('are all remarked on', () => {
    expect(slips.filter(({ typed }) => parse(typed).diagnostics.length === 0)).toEqual([]);
  });

  it('get fixes that mean what was meant, and never the opposite', () => {
    const right = offers.filter(({ likeness }) => likeness === 'same');
    const mendedSlips = new Set(right.map(({ typed }) => typed)).size;
    const wrong = offers
      .filter(({ likeness }) => likeness !== 'same')
      .map(({ typed, offered }) => `${typed} -> ${offered}`);
    console.log(
      `${platform}: ${slips.length} slips, ${mendedSlips} with a right fix; ${right.length} of ${offers.length} fixes offered are right`,
      ...wrong,
    );
    expect(offers.filter(({ likeness }) => likeness === 'opposite')).toEqual([]);
    expect(right.length / offers.length).toBeGreaterThanOrEqual(LEAST_SHARE);
    expect(mendedSlips / slips.length).toBeGreaterThanOrEqual(0.9);
  });
});
