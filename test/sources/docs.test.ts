/** The page on sources is held to the code, and its tutorial is followed to the letter in a copy of the project. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readConfigText } from '../../src/app/config-file.ts';
import { KINDS } from '../../src/sources/kinds/kinds.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/sources.md'), 'utf8');
const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```/gms)].map(([, language, text]) => ({
  language: language!,
  text: text!,
}));

describe('docs/sources.md', () => {
  it.each(Object.entries(KINDS))('tells of %s and all its options', (name, { options }) => {
    expect(page).toContain(`| \`${name}\` |`);
    const section = page.match(new RegExp(`^\\*\\*${name}\\*\\*:.*?\\n\\n`, 'ms'))![0];
    for (const option of Object.keys(options.shape)) expect(section).toContain(`\`${option}\``);
  });

  it('has a file that is taken as it stands', () => {
    const problems: string[] = [];
    const text = blocks.find(({ language }) => language === 'yaml')!.text;
    const sources = readConfigText(text, (line, message) => problems.push(`${line}: ${message}`));
    expect(problems).toEqual([]);
    expect(sources.map(({ name }) => name)).toEqual(['jetstream', 'news', 'mastodon', 'watch']);
  });
});

describe('adding a source', () => {
  const copy = mkdtempSync(join(tmpdir(), 'sluice-tutorial-'));
  afterAll(() => rmSync(copy, { recursive: true }));

  it('works as the tutorial says', () => {
    for (const path of [
      'src',
      'packages/client/src',
      'test/sources',
      'test/setup.ts',
      'test/stages/shared-data.ts',
      'package.json',
      'tsconfig.json',
      'vitest.config.ts',
    ])
      cpSync(join(ROOT, path), join(copy, path), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    const steps = blocks.slice(blocks.findIndex(({ language }) => language === 'ts'));
    let printed = '';
    let ran = 0;
    for (const { language, text } of steps) {
      if (language === 'ts') write(text);
      expect(language === 'text' ? printed : text).toBe(text);
      if (language !== 'sh') continue;
      printed = run(text);
      ran++;
    }
    expect(ran).toBe(2);
    expect(printed).toMatch(/1 passed/);
  });

  /** A block begins with the file it belongs to, and where in it. */
  function write(block: string): void {
    const [first = '', ...lines] = block.split('\n');
    const [path = '', place] = first.replace('// ', '').split(', ');
    const file = join(copy, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, place === undefined ? lines.join('\n') : inserted(readFileSync(file, 'utf8'), place, lines));
  }

  function inserted(text: string, place: string, lines: readonly string[]): string {
    const at = place === 'imports' ? text.indexOf('import ') : text.indexOf('\n', text.indexOf(`${place}:`)) + 1;
    return `${text.slice(0, at)}${lines.join('\n')}${text.slice(at)}`;
  }

  const run = (command: string): string =>
    execFileSync('bash', ['-c', command], {
      cwd: copy,
      encoding: 'utf8',
      env: {
        PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
        NO_COLOR: '1',
        SLUICE_URL: 'http://127.0.0.1:9',
        HOME: copy,
      },
    });
});
