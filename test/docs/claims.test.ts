/** The words of documents about sizes, lists and flags are held against the code that they are about. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { METHODS } from '../../packages/client/src/operations.ts';
import { definitionOf } from '../../src/mcp/tool.ts';
import { TOOLS } from '../../src/mcp/tools.ts';
import { MAX_FEEDS, MAX_RATINGS, RESTORABLE_DAYS } from '../../src/service/limits.ts';
import { matchFields } from '../../src/service/matches/match-filter.ts';
import { operations } from '../../src/service/operations.ts';
import { run } from '../black-box/cli.ts';

const page = (path: string): string => readFileSync(resolve(import.meta.dirname, '../..', path), 'utf8');
const words = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, word]) => word!);
const numbered = (count: number): string => count.toLocaleString('en');

describe('lists', () => {
  it('of the functions of the client are whole', () => {
    const rows = page('docs/client.md')
      .split('\n')
      .filter((line) => line.startsWith('| `client.'));
    const named = rows.flatMap((row) => {
      const functions = words(row.split('|')[1]!);
      const group = /^client\.(\w+)\.\w+$/.exec(functions[0]!)?.[1];
      return functions.map((one) => (one.startsWith('client.') ? one.slice(7) : `${group}.${one}`));
    });
    const all = Object.entries(METHODS).flatMap(([name, inside]) =>
      typeof inside === 'string' ? [name] : Object.keys(inside).map((one) => `${name}.${one}`),
    );
    expect(named.toSorted()).toEqual([...all, 'matches.pages', 'matches.stream'].toSorted());
  });

  it('of the filters of an export are those of List Matches', () => {
    const [, filters = ''] = /takes the filters of [^(]*\([^)]*\)[^(]*\(([^)]*)\)/s.exec(page('docs/export.md')) ?? [];
    expect(words(filters)).toEqual(Object.keys(matchFields));
  });

  it('of the campaigns are whole', () => {
    const [, named = ''] = /`npm run campaign -- (match`.*?)\) and/s.exec(page('CONTRIBUTING.md')) ?? [];
    const all = [...page('test/campaign/main.ts').matchAll(/^ {2}'?([\w-]+)'?: async/gm)].map(([, name]) => name!);
    expect(words(`\`${named}`).toSorted()).toEqual(all.toSorted());
  });

  it('of addresses have every operation', () => {
    const text = page('docs/http-api.md');
    const missing = Object.values(operations).filter(({ name }) => {
      const called = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
      return !text.includes(`/api.${called}`) && !BY_PATH.has(name);
    });
    expect(missing.map(({ name }) => name)).toEqual([]);
  });
});

/** Operations whose addresses are nouns. */
const BY_PATH = new Set([
  'listMatches',
  'listStories',
  'listAlerts',
  'platformSyntax',
  'platformValues',
  'status',
  'pushEvents',
]);

/** As the schema of the tool has it. */
function longestWait(): number {
  const { inputSchema } = TOOLS.map(definitionOf).find(({ name }) => name === 'wait_for_matches')!;
  const { wait_seconds } = inputSchema['properties'] as { wait_seconds: { maximum: number } };
  return wait_seconds.maximum;
}

describe('sizes', () => {
  it.each([
    ['docs/feeds.md', `at most ${MAX_FEEDS} feeds`],
    ['docs/signal.md', numbered(MAX_RATINGS)],
    ['docs/agents.md', `wait up to ${longestWait()} seconds`],
    ['docs/running.md', `${RESTORABLE_DAYS} days`],
  ])('%s says "%s"', (path, claim) => {
    expect(page(path).includes(claim)).toBe(true);
  });

  it('docs/agents.md says how many tokens the definitions of the tools take', () => {
    const tokens = Math.ceil(JSON.stringify(TOOLS.map(definitionOf)).length / 4);
    const [, said = ''] = /All definitions together take less than ([\d,]+) tokens/.exec(page('docs/agents.md')) ?? [];
    const claim = Number(said.replace(',', ''));
    expect(tokens).toBeLessThanOrEqual(claim);
    expect(tokens).toBeGreaterThan(claim - 100);
  });
});

describe('flags', () => {
  interface Place {
    readonly path: string;
    readonly options: readonly { readonly word: string }[];
  }
  let places: readonly Place[];
  beforeAll(async () => {
    places = JSON.parse((await run(['completion', 'bash', '--json'])).stdout) as Place[];
  });

  it('that docs/cli.md names for a command are flags of it', () => {
    const rows = page('docs/cli.md')
      .split('\n')
      .filter((line) => line.startsWith('| `sluice '));
    expect(rows.length).toBeGreaterThan(30);
    for (const row of rows) {
      const commands = words(row.split('|')[1]!).map((word) => word.replace(/^sluice /, ''));
      const known = new Set(
        places.filter(({ path }) => commands.includes(path)).flatMap(({ options }) => options.map(({ word }) => word)),
      );
      for (const flag of words(row.split('|').slice(2).join('|')).filter((word) => word.startsWith('--')))
        expect([...known], row).toContain(flag.split(' ')[0]);
    }
  });
});
