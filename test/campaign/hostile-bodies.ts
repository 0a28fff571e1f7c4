/** A hostile sender puts these into requests: broken bytes, deep and giant JSON, the worst rules, the worst events. */
import { pick, type Random } from '../../bench/random.ts';
import { filled, PAGE_TEXTS, POST_TEXTS } from '../complexity/hard-texts.ts';
import { markedText } from '../generated/marks.ts';

const MEBI = 1024 * 1024;

/** A length up to a largest one, mostly short. */
const length = (random: Random, largest: number): number => Math.ceil(largest * random() ** 6);

const numbered = (count: number, make: (index: number) => string, separator = ' '): string =>
  Array.from({ length: count }, (_, index) => make(index)).join(separator);

const PARTS = [
  'a ',
  'b ',
  'a b ',
  'z1 ',
  'a.',
  "a'b ",
  '火',
  '🌋',
  'x\u0301',
  '&amp;',
  '#a ',
  '@a ',
  'a.co ',
  '\\"',
  '[{',
  'aΣ ',
];

/** Text that is slow to cut, to match or to show. */
export const hardText = (random: Random, largest = MEBI - 1_000): string => {
  // Now and then as long as it may be.
  const size = random() < 0.005 ? largest / 4 : length(random, largest / 4);
  if (random() < 0.1) return holed(size * 4, 100 + Math.floor(random() * 4_000), pick(random, ['c', 'c c c']));
  if (random() < 0.2) return markedText(random, size);
  if (random() < 0.2) return numbered(size / 8, (index) => `w${(index + 1_000_000).toString(36)}`);
  if (random() < 0.2)
    return `${numbered(Math.min(size / 12, 200), (index) => `x z1 q${index} x`)} ${filled('z1 ', size)}`;
  return filled(pick(random, PARTS), size);
};

/** Nearly a phrase of very many equal words, from one end to the other. */
const holed = (size: number, every: number, hole: string): string => filled(`${filled('b ', every * 2)}${hole} `, size);

export function hardRule(random: Random): { platform: 'x' | 'firehose'; value: string } {
  const platform = random() < 0.3 ? 'x' : 'firehose';
  return { platform, value: pick(random, platform === 'x' ? POST_TEXTS : PAGE_TEXTS)(length(random, 8_000) + 8) };
}

const twoWords = (number: number): string =>
  Array.from({ length: 8 }, (_, bit) => ((number >> bit) & 1 ? 'a' : 'b')).join(' ');

/** Rules that the pages of `hardText` keep busy, and that are accepted. */
export const SLOW_RULES: readonly string[] = [
  ...Array.from({ length: 100 }, (_, index) => `"z1 z1 q${index}"`),
  `a OR z1 OR ${numbered(500, (index) => `*?${index}-`, ' OR ')}`,
  'added:/(a|w)[a-z0-9]*-/ OR lava',
  'wzzzz~2 OR "a b a"~9',
  '"z1 z1 z1 q1"~40',
  ...[300, 2_000].flatMap((count) => [`added:"${'b '.repeat(count)}a b"`, `added:"${'b '.repeat(count)}b"~3`]),
  'NOT title:lava AND w*',
  ...Array.from({ length: 50 }, (_, index) => `w1*${index}x`),
  // On a page of these two words by turns, each of them is looked for from one end to the other.
  ...Array.from({ length: 256 }, (_, index) => `added:"${twoWords(index)}"`),
];

/** A paused source whose options are as long as they may be, and right but for one now and then. */
export function hardSource(random: Random): object {
  const addresses = Array.from(
    { length: length(random, 300) },
    (_, index) =>
      `https://example.com/${index}?${filled(pick(random, ['a=b&', '%', 'é', '/..']), length(random, 1_500))}`,
  );
  const selectors = Array.from({ length: length(random, 20) }, () => filled('div > ', length(random, 60)).concat('p'));
  const options = { urls: addresses, ignore: selectors, when: { appears: filled('a b ', length(random, 500)) } };
  const kind = pick(random, ['feeds', 'watch']);
  return { kind, name: 'hard', paused: true, options: kind === 'watch' ? options : { urls: addresses } };
}

/** An event of either platform, as one line. */
export function hardEvent(random: Random, id: string): { platform: 'x' | 'firehose'; line: string } {
  const text = hardText(random);
  const choice = random();
  if (choice < 0.3) return { platform: 'x', line: JSON.stringify({ data: { id, text } }) };
  if (choice < 0.8) return { platform: 'firehose', line: JSON.stringify({ id, title: 'lava', added: text }) };
  const size = length(random, 20_000);
  const odd = pick(random, [
    () => ({ id, url: `http://${filled('a.', size)}` }),
    () => ({ id, diff: { chunks: Array.from({ length: size }, (_, index) => ({ typ: 'ins', text: `w${index}` })) } }),
    () => ({ id, domain: Array.from({ length: size }, String), language: filled('e', size) }),
    () => ({ id: '\ud800', title: 'lava' }),
    () => ({ id, publish_time: `2026-01-01T00:00:00.${filled('0', size)}`, page_types: [[[[]]]] }),
  ]);
  return { platform: 'firehose', line: JSON.stringify(odd()) };
}

/** A body for `/events`, of up to 8 MiB. */
export function hardPush(random: Random, id: string): { platform: 'x' | 'firehose'; body: Buffer } {
  const event = hardEvent(random, id);
  const size = length(random, 8 * MEBI);
  const body = pick<() => Buffer>(random, [
    () => Buffer.from(event.line),
    () => Buffer.from(event.line),
    () => Buffer.from(event.line),
    () => Buffer.alloc(size, 0x0a),
    () => Buffer.alloc(size, Buffer.from([0xff, 0x0a])),
    () => Buffer.alloc(size, '{"id":"1","title":"lava"}\n'),
    () => Buffer.alloc(size, '{\n'),
    () => Buffer.from(`{"id":${'['.repeat(size / 8)}`),
    () => Buffer.alloc(size, '{"data":{"id":"1","text":"#a @b $c a.co"}}\n'),
  ])();
  return { platform: event.platform, body };
}

/** JSON that no operation wants, and bytes that are no JSON. */
export function rubbish(random: Random): Buffer {
  const size = length(random, 250_000) + 1;
  return pick<() => Buffer>(random, [
    () => Buffer.from('{}'),
    () => Buffer.from('null'),
    () => Buffer.alloc(size, '['),
    () => Buffer.alloc(size, '{"a":'),
    () => Buffer.from(`{"name":${JSON.stringify(filled('a', size))},"platforms":"x"}`),
    () => Buffer.from(`{${numbered(size / 16, (index) => `"k${index}":1`, ',')}}`),
    () => Buffer.from('{"__proto__":{"a":1}}'),
    () => Buffer.from('{"limit":1e999,"cursor":"\\ud800"}'),
    () => Buffer.alloc(size, 0xff),
    () => Buffer.alloc(size, 0),
    () => Buffer.from(`{"rule_id":${JSON.stringify(filled('rule_', size))}}`),
    () => Buffer.from(`{"limit":-1,"rule_id":[],"since":"${filled('9', size)}","text":{}}`),
  ])();
}
