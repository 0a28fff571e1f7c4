/** Documents from files and standard input. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ndjson } from '../../src/sources/kinds/ndjson.ts';
import { loadLanguages } from '../../src/sources/text/language.ts';
import { PATIENCE, stage } from './stage.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-ndjson-'));
afterAll(() => rmSync(folder, { recursive: true }));
beforeAll(loadLanguages);

const line = (number: number) =>
  JSON.stringify({
    id: number,
    url: `https://www.example.org/${number}`,
    title: 'The storm',
    added: ['has reached the coast'],
  });

function file(name: string, content: string | Buffer): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

describe('ndjson', () => {
  it('passes documents on, with what rules need beside them', async () => {
    await using test = stage(ndjson('docs', { file: file('a.ndjson', `${line(1)}\n`) }));
    await expect.poll(() => test.status.state, PATIENCE).toBe('ended');
    expect(test.pages).toEqual([
      {
        id: 'docs:1',
        url: 'https://www.example.org/1',
        domain: ['www.example.org', 'example.org'],
        title: 'The storm',
        added: ['has reached the coast'],
        language: 'en',
        source: { name: 'docs', original: null },
      },
    ]);
  });

  it('goes on behind the lines that were stored, and says which are bad', async () => {
    const path = file('b.ndjson.gz', gzipSync([line(1), 'nonsense', '', '{"title":"no id"}', line(2)].join('\n')));
    await using test = stage(ndjson('docs', { file: path }));
    await expect.poll(() => test.status.state, PATIENCE).toBe('ended');
    expect(test.troubles.map((trouble) => trouble.slice(0, 6))).toEqual(['Line 2', 'Line 4']);
    writeFileSync(path, gzipSync([line(1), '', '', '', line(2), line(3)].join('\n')));
    await test.stop();
    test.start();
    await expect.poll(() => test.pages.length, PATIENCE).toBe(3);
    expect(test.pages.map(({ id }) => id)).toEqual(['docs:1', 'docs:2', 'docs:3']);
  });

  it('reads standard input as it comes', async () => {
    const input = new PassThrough();
    await using test = stage(ndjson('docs', { file: '-' }, input));
    input.write(line(1).slice(0, 20));
    input.write(`${line(1).slice(20)}\r\n`);
    await test.until(() => test.pages.length === 1);
    input.end(line(2));
    await expect.poll(() => test.status.state, PATIENCE).toBe('ended');
    expect(test.pages).toHaveLength(2);
    expect(test.cursors.size).toBe(0);
  });

  it('says when there is no such file', async () => {
    await using test = stage(ndjson('docs', { file: join(folder, 'absent') }));
    await test.until(() => test.troubles.length > 1);
    expect(test.troubles[0]).toBe('absent cannot be read: ENOENT.');
  });
});
