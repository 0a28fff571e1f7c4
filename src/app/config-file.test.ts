import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KINDS, readShortForm, readSource } from '../sources/kinds/kinds.ts';
import { loadConfig } from './config.ts';
import { readConfigText } from './config-file.ts';

function read(text: string) {
  const problems: string[] = [];
  const sources = readConfigText(text, (line, message) => problems.push(`${line}: ${message}`));
  return { sources, problems };
}

describe('configured sources', () => {
  it('are kinds by name, or keys', () => {
    const { sources, problems } = read(`
sources:
  - hackernews
  - kind: feeds
    name: news   # a comment
    every: 600
    urls:
      - https://example.org/feed.xml
`);
    expect(problems).toEqual([]);
    expect(sources).toMatchObject([
      { name: 'hackernews', kind: 'hackernews', options: { url: 'https://hacker-news.firebaseio.com', every: 15 } },
      { name: 'news', kind: 'feeds', options: { every: 600, pause: 1, urls: ['https://example.org/feed.xml'] } },
    ]);
  });

  it.each([
    ['sources: jetstream', '1: `sources` must be a list.'],
    ['- jetstream', '1: The file must hold keys such as `sources:`.'],
    ['source: []', '1: source is not a setting of this file: it has `sources` alone.'],
    ['sources:\n  - nonsense', `2: kind must be one of ${Object.keys(KINDS).join(', ')}.`],
    ['sources:\n  - kind: feeds', '2: urls is missing.'],
    [
      'sources:\n  - kind: feeds\n    urls:\n    - https://a.example\n    - b',
      '5: urls.1 must be an http or https address.',
    ],
    ['sources:\n  - kind: jetstream\n    evry: 1', '3: evry is not an option of this kind.'],
    ['sources:\n  - kind: hackernews\n    every: 0', '3: every must be at least 1.'],
    ['sources:\n  - kind: hackernews\n    every: soon', '3: every must be of the type number.'],
    [
      'sources:\n  - kind: jetstream\n    name: A B',
      '3: name must have lower-case letters, digits and hyphens, at most 40 of them.',
    ],
    ['sources:\n  - kind: watch\n    urls: [https://a.example]\n    first: no', '4: first must be one of whole, skip.'],
    ['sources:\n  - [a]', '2: A source is the name of a kind, or keys such as `kind: feeds`.'],
  ])('%j is refused with its line', (text, problem) => expect(read(text).problems).toEqual([problem]));

  it('may hold nothing, and say what is no YAML', () => {
    expect(read('')).toEqual({ sources: [], problems: [] });
    expect(read('sources:')).toEqual({ sources: [], problems: [] });
    expect(read('sources:\n  - "a').problems[0]).toMatch(/^[23]: Missing closing/);
  });

  it('come from the file and the variable together, each under a name of its own', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-config-'));
    const file = join(folder, 'mine.yaml');
    writeFileSync(file, 'sources: [jetstream, mastodon]\n');
    const env = { SLUICE_CONFIG: file, SLUICE_SOURCES: 'hackernews', SLUICE_MASTODON_TOKEN: 'secret' };
    const { sources } = loadConfig(env);
    expect(sources.map(({ name }) => name)).toEqual(['jetstream', 'mastodon', 'hackernews']);
    expect(sources[1]?.options).toMatchObject({ token: 'secret' });
    expect(() => loadConfig({ ...env, SLUICE_SOURCES: 'jetstream,feeds:x' })).toThrow(
      /source feeds: urls\.0 must be an http or https address\.\nTwo sources have the name jetstream/,
    );
    rmSync(folder, { recursive: true });
    expect(() => loadConfig(env)).toThrow(/mine\.yaml cannot be read/);
  });

  it('have a short form', () => {
    const short = 'jetstream, feeds:https://a.example/x,feeds:https://b.example, ndjson:pages.ndjson,';
    expect(readShortForm(short)).toEqual([
      { kind: 'jetstream' },
      { kind: 'feeds', urls: ['https://a.example/x', 'https://b.example'] },
      { kind: 'ndjson', file: 'pages.ndjson' },
    ]);
    expect(readSource({ kind: 'toString' })).toHaveProperty('problems');
  });
});
