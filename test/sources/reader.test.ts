/** The thread that reads feeds and pages. */
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { parquetWriteFile } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { parquetHistory } from '../../src/sources/history/parquet-history.ts';
import { openDocumentReader } from '../../src/sources/reading/document-reader.ts';
import { readers } from '../../src/sources/reading/readers.ts';
import { doubling, upTo } from '../complexity/doubling.ts';
import { hasSharedData, sharedLines } from '../stages/shared-data.ts';

const bytes = (text: string) => Buffer.from(text);

describe('reader', () => {
  it('reads feeds and pages out of the way, one after another', async () => {
    await using reader = openDocumentReader(systemClock);
    const [feed, page, none] = await Promise.all([
      reader.feed({
        bytes: bytes('<rss><item><title>A</title></item></rss>'),
        contentType: undefined,
        url: 'https://a.example',
      }),
      reader.page({ bytes: bytes('<title>B</title><p>text</p>'), contentType: 'text/html', url: 'https://b.example' }),
      reader.feed({ bytes: bytes('nothing'), contentType: undefined, url: 'https://c.example' }),
    ]);
    expect([feed?.entries[0]?.title, page.title, page.text, none]).toEqual(['A', 'B', 'B\ntext', undefined]);
  });

  it('reads lists of APIs out of the way', async () => {
    await using reader = openDocumentReader(systemClock);
    const post = { id: 7, name: 'Ash', ap_id: 'https://l.example/post/7', published: '2026-11-15T08:30:00' };
    const read = await reader.feed({
      bytes: bytes(JSON.stringify({ posts: [{ post }, 0] })),
      contentType: 'application/json',
      url: 'https://l.example',
      list: 'lemmy-posts',
    });
    expect(read?.entries).toMatchObject([{ id: 'post/7', published: new Date('2026-11-15T08:30:00Z') }]);
    expect(read?.skipped).toEqual([{ reason: 'that cannot be read', item: 0 }]);
  });

  it('leaves the event loop free while it reads a large page', async () => {
    await using reader = openDocumentReader(systemClock);
    const large = bytes(
      `<title>Large</title>${'<div><p>Storm after storm has reached the coast.</p></div>'.repeat(4_000)}`,
    );
    let turns = 0;
    let isDone = false;
    const reading = reader.page({ bytes: large, contentType: 'text/html', url: 'https://a.example' }).finally(() => {
      isDone = true;
    });
    for (; !isDone; turns++) await new Promise((resolve) => setImmediate(resolve));
    expect((await reading).title).toBe('Large');
    expect(turns).toBeGreaterThan(50);
  });
});

/** The thread that is started next. */
const nextThread = () => new Promise<Worker>((resolve) => process.once('worker', resolve));

describe('a reader of several owners', () => {
  const page = { bytes: bytes('text'), contentType: 'text/plain', url: 'https://a.example' };

  it('gives them turns, and each hears of its own documents', async () => {
    await using reader = openDocumentReader(systemClock);
    const took: string[] = [];
    const read = (owner: string) => reader.for({ owner, onCpu: () => took.push(owner) }).page(page);
    await Promise.all(['alice', 'alice', 'alice', 'bob'].map(read));
    expect(took).toEqual(['alice', 'alice', 'bob', 'alice']);
  });

  it('ends the thread of a document that nobody waits for any more, and reads none that is given up before its turn', async () => {
    await using reader = openDocumentReader(systemClock);
    const leaving = new AbortController();
    const took: string[] = [];
    const reading = ['first', 'second'].map((owner) =>
      expect(reader.for({ owner, signal: leaving.signal, onCpu: () => took.push(owner) }).page(page)).rejects.toThrow(
        'https://a.example cannot be read.',
      ),
    );
    const thread = await nextThread();
    const ended = new Promise((resolve) => thread.once('exit', resolve));
    leaving.abort();
    await Promise.all(reading);
    await ended;
    expect(took).toEqual(['first']);
    expect((await reader.page(page)).text).toBe('text');
  });
});

describe('a page of nested elements', () => {
  const nested = (name: string) => (size: number) => {
    const depth = size / 50;
    const html = `<title>t</title>${`<${name}>`.repeat(depth)}${'a<!---->'.repeat(size)}${`</${name}>`.repeat(depth)}`;
    return { bytes: bytes(html), contentType: 'text/html', url: 'https://a.example' };
  };
  const sizes = upTo(20_000);
  doubling('its links', { sizes, make: nested('a'), work: (document) => void readers.facts(document) });
  doubling('its main text', { sizes, make: nested('div'), work: (document) => void readers.page(document) });
});

describe('a thread that fails when nobody waits for it', () => {
  const failure = new Error('It ran out of memory after it was given up.');

  it('harms no one, and the next document gets another one', async () => {
    await using reader = openDocumentReader(systemClock);
    const page = { bytes: bytes('text'), contentType: 'text/plain', url: 'https://a.example' };
    const [thread] = await Promise.all([nextThread(), reader.page(page)]);
    expect(thread.emit('error', failure)).toBe(true);
    await thread.terminate();
    expect((await reader.page(page)).text).toBe('text');
  });

  it('ends the reading of a Parquet file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-parquet-'));
    const path = join(folder, 'posts.parquet');
    parquetWriteFile({ filename: path, columnData: [{ name: 'a', data: ['1', '2'] }], rowGroupSize: 1 });
    await using file = await open(path);
    const { signal } = new AbortController();
    const parts = parquetHistory(file, path, { platforms: ['x'], position: undefined, signal })[Symbol.asyncIterator]();
    const [thread] = await Promise.all([nextThread(), parts.next()]);
    expect(thread.emit('error', failure)).toBe(true);
    await expect(parts.next()).rejects.toThrow('The file cannot be read');
    await rm(folder, { recursive: true });
  });
});

it('hands over a few long rows of a Parquet file at a time, and none that is longer than any event', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-parquet-'));
  const path = join(folder, 'posts.parquet');
  const texts = Array.from({ length: 40 }, (_, index) => 'a'.repeat(index === 7 ? 5_000_000 : 100_000));
  const ids = texts.map((_, index) => String(index));
  const columnData = [
    { name: 'id', data: ids },
    { name: 'text', data: texts },
  ];
  parquetWriteFile({ filename: path, columnData });
  await using file = await open(path);
  const { signal } = new AbortController();
  const read: string[] = [];
  let [longest, unreadable] = [0, 0];
  for await (const part of parquetHistory(file, path, { platforms: ['x'], position: undefined, signal })) {
    longest = Math.max(longest, part.events.length);
    unreadable += part.unreadable;
    read.push(...part.events.map(({ payload }) => (payload['data'] as { id: string }).id));
  }
  expect(read).toEqual(ids.filter((id) => id !== '7'));
  expect([longest, unreadable]).toEqual([3, 1]);
  await rm(folder, { recursive: true });
});

describe.runIf(hasSharedData)('shared: reader', () => {
  it('is not ended by any feed', async () => {
    await using reader = openDocumentReader(systemClock);
    const cases = sharedLines<{ body_base64: string }>('pages/feed-test-cases.ndjson.gz');
    const documents = cases.map(({ body_base64 }) => Buffer.from(body_base64, 'base64'));
    const read = await Promise.all(
      documents.map((one) => reader.feed({ bytes: one, contentType: undefined, url: 'https://a.example' })),
    );
    expect(read.filter((feed) => feed !== undefined).length).toBeGreaterThan(documents.length * 0.9);
  });
});
