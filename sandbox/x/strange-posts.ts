/** Malformed records: X28. */

const ID = '1888888888888888888';

const LINES: Readonly<Record<string, () => string>> = {
  'missing-fields': () => JSON.stringify({ data: { id: ID } }),
  reordered: () => JSON.stringify({ matching_rules: [], includes: {}, data: { text: 'in another order', id: ID } }),
  'huge-numbers': () => `{"data":{"id":1${'0'.repeat(400)},"text":"huge","public_metrics":{"like_count":1e999}}}`,
  'lone-surrogate': () => `{"data":{"id":"${ID}","text":"half a pair \\ud83c here"}}`,
  deep: () => `{"data":{"id":"${ID}","text":"deep","entities":${'['.repeat(10_000)}${']'.repeat(10_000)}}}`,
  'long-line': () => JSON.stringify({ data: { id: ID, text: 'x'.repeat(2 * 1024 * 1024) } }),
  'not-json': () => '{"data":{"id":',
};

export const strangeLines = (kind: string): string[] =>
  Object.entries(LINES)
    .filter(([name]) => kind === 'all' || kind === name)
    .map(([, line]) => line());
