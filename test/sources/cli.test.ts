/** `sluice sources`, as a person runs it. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { PROGRAM } from '../black-box/program.ts';
import { openServer } from './server.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-cli-sources-'));
afterAll(() => rmSync(folder, { recursive: true }));

const run = (args: string[], env: Record<string, string> = {}): Promise<{ code: number; out: string; err: string }> =>
  new Promise((done) => {
    const options = { cwd: folder, env: { NO_COLOR: '1', HOME: folder, SLUICE_URL: 'http://127.0.0.1:9', ...env } };
    execFile(process.execPath, [PROGRAM, 'sources', ...args], options, (error, out, err) =>
      done({ code: Number(error?.code ?? 0), out, err }),
    );
  });

const FEED =
  '<rss><channel><item><title>Storm</title><link>https://a.example/1</link><description>It nears the coast</description></item></channel></rss>';
const OPML = `<opml version="2.0"><body><outline text="News">
  <outline type="rss" text="A" xmlUrl="https://a.example/feed"/><outline type="rss" xmlUrl="https://b.example/feed"/>
  <outline type="rss" xmlUrl="https://a.example/feed"/><outline text="no feed" xmlUrl="file:///etc/passwd"/></outline></body></opml>`;

describe('sluice sources', () => {
  it('tries one, and shows what it yields', async () => {
    await using server = await openServer((_, response) => void response.writeHead(200).end(FEED));
    const shown = await run(['test', `feeds:${server.url}/feed.xml`, '-n', '1']);
    expect(shown).toMatchObject({ code: 0, out: 'https://a.example/1  en\n  Storm\n  + It nears the coast\n' });
    const { out } = await run(['test', `feeds:${server.url}/feed.xml`, '-n', '1', '--json']);
    expect(JSON.parse(out)).toMatchObject({ url: 'https://a.example/1', source: { name: 'feeds' } });
  });

  it('says what is wrong with one that yields nothing, or is none', async () => {
    await using server = await openServer((_, response) => void response.writeHead(500).end());
    const failed = await run(['test', `feeds:${server.url}/feed.xml`, '--seconds', '1']);
    expect(failed).toMatchObject({ code: 1, out: '' });
    expect(failed.err).toMatch(/answered 500 for[\s\S]*No event came within 1 seconds/);
    expect(await run(['test', 'nonsense'])).toMatchObject({ code: 2, out: '' });
  });

  it('imports OPML into a file that keeps what it has, and lists it', async () => {
    writeFileSync(join(folder, 'feeds.opml'), OPML);
    expect(await run(['import', 'feeds.opml'])).toMatchObject({ code: 0 });
    const file = join(folder, 'sluice.yaml');
    writeFileSync(file, `# mine\n${readFileSync(file, 'utf8').replace('- https://b.example/feed\n', '')}`);
    const { out } = await run(['import', 'feeds.opml', '--json']);
    expect(JSON.parse(out)).toEqual({ file, added: 1, known: 1 });
    expect(readFileSync(file, 'utf8')).toBe(
      '# mine\nsources:\n  - kind: feeds\n    urls:\n      - https://a.example/feed\n      - https://b.example/feed\n',
    );
    expect((await run(['list'])).out).toMatch(/^NAME .*\nfeeds +feeds +- +- +-\n$/);
    writeFileSync(join(folder, 'none.opml'), 'nothing');
    expect(await run(['import', 'none.opml'])).toMatchObject({ code: 2, err: expect.stringContaining('not OPML') });
  });
});
