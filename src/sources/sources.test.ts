import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { fakeClock } from '../../test/stages/fake-clock.ts';
import { demoEvent, demoFeed } from './kinds/demo.ts';
import { DEMO_PAGES } from './kinds/demo-pages.ts';
import { DEMO_POSTS } from './kinds/demo-posts.ts';
import { openRecording, type RecordedBatch } from './replay.ts';

describe('demo feed', () => {
  it('plays the whole set, each event marked, with ids of its own', () => {
    const now = new Date('2026-11-15T08:30:00Z');
    const events = Array.from({ length: 3 * Math.max(DEMO_PAGES.length, DEMO_POSTS.length) }, (_, turn) =>
      demoEvent(turn, now),
    );
    expect(events.every(({ payload }) => payload['demo'] === true)).toBe(true);
    const ids = events.map(({ payload }) => payload['id'] ?? (payload['data'] as { id: string }).id);
    expect(new Set(ids).size).toBe(events.length);
    const texts = JSON.stringify(events);
    for (const { text } of DEMO_POSTS) expect(texts).toContain(JSON.stringify(text).slice(1, -1));
    for (const { title } of DEMO_PAGES) expect(texts).toContain(title);
    expect(DEMO_POSTS.length + DEMO_PAGES.length).toBeGreaterThan(100);
  });

  it('plays a few a second, until it is told to stop', async () => {
    const clock = fakeClock();
    const stop = new AbortController();
    let played = 0;
    const playing = (async () => {
      for await (const _ of demoFeed(clock, stop.signal)) played++;
    })();
    await clock.pass(10_000);
    expect(played).toBe(41);
    stop.abort();
    await playing;
    expect(played).toBe(41);
  });
});

describe('recordings', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-replay-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const options = { clock: fakeClock(), signal: new AbortController().signal };
  const read = async (batches: AsyncIterable<RecordedBatch>) => {
    const found: RecordedBatch[] = [];
    for await (const batch of batches) found.push(batch);
    return found;
  };
  const file = (name: string, content: string | Uint8Array) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const lines = (count: number) => Array.from({ length: count }, (_, at) => `{"n":${at},"é":"🌋"}`);

  it.each(['plain.ndjson', 'packed.ndjson.gz'])('are read whole: %s', async (name) => {
    const text = lines(2_500).join('\n');
    const path = file(name, name.endsWith('.gz') ? gzipSync(text) : text);
    const { batches, size } = await openRecording(path, Readable.from([]), options);
    const found = await read(batches);
    expect(found.map((batch) => batch.lines)).toEqual([1_000, 1_000, 500]);
    expect(found.map((batch) => batch.text).join('')).toBe(`${text}\n`);
    expect(found.at(-1)).toMatchObject({ position: 2_500, bytes: size });
  });

  it('go on from a position', async () => {
    const path = file('resumed.ndjson', lines(2_500).join('\n'));
    const { batches } = await openRecording(path, Readable.from([]), { ...options, from: 2_400 });
    const found = await read(batches);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ lines: 100, position: 2_500 });
    expect(found[0]?.text.startsWith('{"n":2400,')).toBe(true);
  });

  it('come from standard input too, cut wherever the bytes are cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(200), { maxLength: 10 }), async (cuts) => {
        const bytes = Buffer.from(lines(10).join('\n'));
        const ends = [...cuts.toSorted((a, b) => a - b), bytes.length];
        const chunks = ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end));
        const { batches, size } = await openRecording('-', Readable.from(chunks), options);
        expect((await read(batches)).map(({ text }) => text).join('')).toBe(`${lines(10).join('\n')}\n`);
        expect(size).toBeUndefined();
      }),
      { numRuns: 50 },
    );
  });

  it('are played at a rate', async () => {
    const clock = fakeClock();
    const path = file('slow.ndjson', lines(100).join('\n'));
    const { batches } = await openRecording(path, Readable.from([]), { ...options, clock, rate: 50 });
    const start = clock.now().getTime();
    const progress = { position: 0, done: false };
    const reading = (async () => {
      for await (const { position } of batches) progress.position = position;
      progress.done = true;
    })();
    while (!progress.done) await clock.pass(100);
    await reading;
    expect(progress.position).toBe(100);
    expect(clock.now().getTime() - start).toBeGreaterThanOrEqual(1_900);
  });

  it('say so when they cannot be read', async () => {
    await expect(openRecording(join(folder, 'absent'), Readable.from([]), options)).rejects.toMatchObject({
      code: 'ENOENT',
    });
    const { batches } = await openRecording(file('broken.gz', 'not packed'), Readable.from([]), options);
    await expect(read(batches)).rejects.toMatchObject({ code: 'Z_DATA_ERROR' });
  });
});
