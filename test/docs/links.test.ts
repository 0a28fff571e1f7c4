/** Documents that speak of the code are held to it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { printedDocs, ROOT } from '../../scripts/printed-docs.ts';
import { MESSAGES as FIREHOSE_MESSAGES } from '../../src/rules/firehose/messages.ts';
import { languages } from '../../src/rules/languages.ts';
import { MESSAGES as X_MESSAGES } from '../../src/rules/x/messages.ts';

it.each(Object.entries(printedDocs()))('%s is what the code prints (npm run docs)', (path, content) => {
  expect(readFileSync(join(ROOT, path), 'utf8')).toBe(content);
});

describe.each([
  ['x', X_MESSAGES],
  ['firehose', FIREHOSE_MESSAGES],
] as const)('codes of %s', (language, messages) => {
  const shown = Object.entries(messages).filter(([, { example }]) => example !== '');
  it.each(shown)('%s is what its example gives', (code, { severity, example }) => {
    const { diagnostics } = languages()[language].parse(example);
    expect(diagnostics).toContainEqual(expect.objectContaining({ code, severity }));
  });
});

const pages = ['.', 'docs', 'docs/decisions', 'docs/guides'].flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);

it.each(pages)('%s links only to what is there', (page) => {
  const links = [...readFileSync(join(ROOT, page), 'utf8').matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(
    ([, link]) => link!,
  );
  for (const link of links) expect(existsSync(join(ROOT, dirname(page), link)), link).toBe(true);
});

it('lists every runtime dependency with its reason', () => {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<
    string,
    Record<string, string>
  >;
  const page = readFileSync(join(ROOT, 'docs/dependencies.md'), 'utf8');
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies }))
    expect(page).toMatch(new RegExp(`^\\|[^|]*${name}`, 'm'));
});
