/** Jetstream's archive: read whole through its faults, heals what a host's window no longer has, and serves rehearsals. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { jetstreamHistory } from '../../src/sources/history/archive-history.ts';
import type { HistoryEvent } from '../../src/sources/history/history.ts';
import { type ArchiveBatch, readArchive } from '../../src/sources/kinds/bluesky/archive.ts';
import { rowsOfBlock, unpackBlock } from '../../src/sources/kinds/bluesky/archive-block.ts';
import { base32, CborError, readCbor } from '../../src/sources/kinds/bluesky/cbor.ts';
import { POSTS } from '../../src/sources/kinds/bluesky/wire.ts';
import { jetstream, jetstreamOptions } from '../../src/sources/kinds/jetstream.ts';
import { loadLanguages } from '../../src/sources/text/language.ts';
import { ANY_CHARACTER } from '../generated/any-character.ts';
import { openService } from '../stages/service.ts';
import {
  type ArchivedRow,
  type ArchiveFault,
  archiveOver,
  encodeBlock,
  encodeCbor,
  openArchive,
} from './archive-server.ts';
import { archived, BEGAN, type Happening, openJetHost, posted } from './jetstream-server.ts';
import { http, stage } from './stage.ts';

beforeAll(loadLanguages);

const signal = new AbortController().signal;
const posts = (count: number, from = 0): Happening[] => Array.from({ length: count }, (_, at) => posted(from + at));
/** Segments of two blocks of three rows. */
const segmentsOf = (rows: readonly ArchivedRow[]): ArchivedRow[][][] => {
  const blocks = Array.from({ length: Math.ceil(rows.length / 3) }, (_, at) => rows.slice(3 * at, 3 * at + 3));
  return Array.from({ length: Math.ceil(blocks.length / 2) }, (_, at) => blocks.slice(2 * at, 2 * at + 2));
};

async function readAll(batches: AsyncIterable<ArchiveBatch>): Promise<number[]> {
  const seqs: number[] = [];
  for await (const { rows } of batches) for (const { seq, event } of rows) if (event !== undefined) seqs.push(seq);
  return seqs;
}

describe('records of the archive', () => {
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.string({ unit: ANY_CHARACTER }),
      fc.maxSafeInteger(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Number.isInteger(value)),
      fc.boolean(),
      fc.constant(null),
      fc.uint8Array({ minLength: 1 }).map((bytes) => ({ $link: `b${base32(bytes)}` })),
      fc.uint8Array().map((bytes) => ({ $bytes: Buffer.from(bytes).toString('base64').replace(/=+$/, '') })),
      fc.array(tie('value')),
      fc.dictionary(
        fc.string({ unit: ANY_CHARACTER }).filter((key) => !key.startsWith('$')),
        tie('value'),
      ),
    ),
  })).value;

  it('are read as they were written', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(JSON.stringify(readCbor(encodeCbor(value)))).toBe(JSON.stringify(value));
      }),
    );
  });

  const refusalOf = (read: () => unknown): object | undefined => {
    try {
      read();
    } catch (error) {
      return error as object;
    }
    return undefined;
  };

  it('that are broken are refused, whatever they hold', () => {
    const broken = fc.oneof(
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
      fc.tuple(json, fc.nat()).map(([value, cut]) => {
        const bytes = encodeCbor(value);
        return bytes.subarray(0, cut % bytes.length);
      }),
    );
    fc.assert(
      fc.property(broken, (bytes) => {
        expect([undefined, CborError]).toContain(refusalOf(() => readCbor(bytes))?.constructor);
      }),
    );
    expect(() => readCbor(Buffer.alloc(100, 0x81))).toThrow(CborError);
    expect(() => readCbor(Buffer.from([0x9b, 0, 0, 0, 1, 0, 0, 0, 0]))).toThrow(CborError);
  });

  it('have the id that the network gives them', () => {
    const row = { seq: 1, time: BEGAN, kind: 1, did: 'did:plc:a', collection: POSTS, rkey: 'k', rev: 'r' } as const;
    const [read] = [...rowsOfBlock(encodeBlock([{ ...row, event: {} }]), POSTS)];
    expect(read!.event?.commit?.cid).toBe('bafyreigbtj4x7ip5legnfznufuopl4sg4knzc2cof6duas4b3q2fy6swua');
  });

  it('in a block that does not add up are refused before one is read', async () => {
    const block = encodeBlock(archived(posts(3)));
    for (const cut of [0, 3, 20, block.length - 1])
      expect(() => rowsOfBlock(block.subarray(0, cut), POSTS)).toThrow(RangeError);
    await expect(unpackBlock(Buffer.from('no frame'))).rejects.toThrow('Unknown frame descriptor');
  });
});

describe('the archive', () => {
  const others = (seq: number): Happening =>
    seq % 5 === 3
      ? posted(seq, { collection: 'app.bsky.feed.like' })
      : seq % 7 === 6
        ? { ...posted(seq), kind: 'identity', commit: undefined! }
        : posted(seq);
  const rows = archived(Array.from({ length: 40 }, (_, at) => others(at + 1)));
  const wanted = rows.filter(({ kind, collection }) => kind === 1 && collection === POSTS).map(({ seq }) => seq);

  it('yields every post after a place, in order and once', async () => {
    await using archive = await openArchive({ segments: segmentsOf(rows), wholeToo: true, key: 'k1' });
    const host = { url: archive.url, key: 'k1' };
    expect(await readAll(readArchive({ http, signal }, host, 0))).toEqual(wanted);
    for (const after of [1, 3, 17, 39, 40, 99])
      expect(await readAll(readArchive({ http, signal }, host, after))).toEqual(wanted.filter((seq) => seq > after));
    expect(new Set(archive.asked)).toEqual(new Set(['planSnapshot', 'getBlock', 'getSegment']));
  });

  it('is planned again when segments were rewritten or are gone since the plan', async () => {
    const faults: ArchiveFault[] = ['changed', 'gone'];
    for (const fault of faults)
      for (const place of [1, 3, 6]) {
        const settings = {
          segments: segmentsOf(rows),
          wholeToo: true,
          faults: Array.from({ length: place + 1 }, (_, at) => (at === place ? fault : undefined)),
        };
        await using archive = await openArchive(settings);
        expect(await readAll(readArchive({ http, signal }, { url: archive.url }, 0))).toEqual(wanted);
      }
  });

  it('ends with an error when it changes all the time, answers that it is busy, is cut off or damaged', async () => {
    const cases: [ArchiveFault, string][] = [
      ['changed', 'rewritten'],
      ['busy', '429'],
      ['cut', 'connection'],
      ['damaged', 'damaged'],
    ];
    for (const [fault, words] of cases) {
      await using archive = await openArchive({
        segments: segmentsOf(rows),
        faults: Array.from({ length: 30 }, () => fault),
      });
      await expect(readAll(readArchive({ http, signal }, { url: archive.url }, 0))).rejects.toThrow(words);
    }
  });

  it('of a host that asks for a key says so', async () => {
    await using archive = await openArchive({ segments: segmentsOf(rows), key: 'k1' });
    await expect(readAll(readArchive({ http, signal }, { url: archive.url, key: 'wrong' }, 0))).rejects.toThrow('key');
  });

  it('is history of a span: both platforms, from any position', async () => {
    await using archive = await openArchive({ segments: segmentsOf(rows), wholeToo: true });
    const history = jetstreamHistory(http, { url: archive.url }, 'jetstream');
    const span = { from: (BEGAN + 10_000_000) / 1_000, to: (BEGAN + 30_000_000) / 1_000 };
    const inSpan = rows.filter(
      ({ seq, time }) => wanted.includes(seq) && time >= span.from * 1_000 && time <= span.to * 1_000,
    );
    const idsFrom = async (position?: string) => {
      const found: HistoryEvent[] = [];
      const places: (string | undefined)[] = [];
      for await (const part of history.read(span, { platforms: ['x', 'firehose'], position, signal })) {
        found.push(...part.events);
        places.push(part.position);
      }
      return { found, places };
    };
    const whole = await idsFrom();
    expect(whole.found.filter(({ platform }) => platform === 'x')).toHaveLength(inSpan.length);
    expect(whole.found.filter(({ platform }) => platform === 'firehose')).toHaveLength(inSpan.length);
    const rest = await idsFrom(whole.places[1]);
    expect(whole.found.slice(-rest.found.length)).toEqual(rest.found);
    const late = { from: Date.parse('2030-01-01'), to: Date.parse('2030-01-02') };
    for await (const part of history.read(late, { platforms: ['x'], position: undefined, signal }))
      expect(part).toBeUndefined();
  });

  it('is what a rule can be rehearsed on, through its faults', async () => {
    const faults = Array.from({ length: 40 }, (_, at) => (at % 4 === 2 ? ('busy' as const) : undefined));
    await using archive = await openArchive({ segments: segmentsOf(rows), wholeToo: true, faults });
    await using test = await openService({
      history: { archive: jetstreamHistory(http, { url: archive.url }, 'jetstream') },
    });
    const ada = await test.caller('ada');
    const span = { from: new Date(BEGAN / 1_000).toISOString(), to: new Date(BEGAN / 1_000 + 3_600_000).toISOString() };
    const { id } = await test.call(ada, 'rehearseRule', {
      platforms: ['x', 'firehose'],
      overrides: { x: 'storms', firehose: 'added:storms' },
      history: { kind: 'archive', ...span },
    });
    const isOver = async () => (await test.call(ada, 'getRehearsal', { rehearsal_id: id })).ended_at !== null;
    await expect.poll(isOver, { interval: 10 }).toBe(true);
    const { status, result } = await test.call(ada, 'getRehearsal', { rehearsal_id: id });
    expect(status).toBe('done');
    expect([result.platforms.x!.matched, result.platforms.firehose!.matched]).toEqual([wanted.length, wanted.length]);
  });
});

describe('a host whose window is too short', () => {
  const happenings = posts(60);
  const sourceAt = (url: string, options = {}) =>
    jetstream('bluesky', jetstreamOptions.parse({ url, key: 'k1', ...options }), { first: 2, most: 10 });
  const idAt = (test: { pages: { id: string }[] }) => test.pages.map(({ id }) => Number(/3l(\d+)/.exec(id)![1]));
  const cursorAt = (url: string, number: number) =>
    JSON.stringify({ [url]: { seq: number + 1, time: BEGAN + number * 1_000_000, since: BEGAN } });
  const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);

  it('is healed from its archive: nothing is missing, and the gap is recovered', async () => {
    const archive = archiveOver({ segments: segmentsOf(archived(happenings.slice(0, 45))), wholeToo: true, key: 'k1' });
    await using host = await openJetHost({ happenings, floorSeq: 40, archive });
    await using test = stage(sourceAt(host.url), cursorAt(host.url, 9));
    await test.until(() => test.pages.length >= 50);
    expect(idAt(test)).toEqual(numbers(10, 60));
    expect(test.gaps).toEqual([
      {
        from: new Date((BEGAN + 9_000_000) / 1_000),
        to: new Date((BEGAN + 44_000_000) / 1_000),
        cause: 'source_down',
        recovered: true,
      },
    ]);
    expect(test.troubles).toEqual([]);
  });

  it.each(['busy', 'cut', 'changed'] as const)('is healed through an archive that is %s', async (fault) => {
    const faults = Array.from({ length: 8 }, (_, at) => (at % 2 === 1 ? fault : undefined));
    const archive = archiveOver({ segments: segmentsOf(archived(happenings.slice(0, 45))), key: 'k1', faults });
    await using host = await openJetHost({ happenings, floorSeq: 40, archive });
    await using test = stage(sourceAt(host.url), cursorAt(host.url, 9));
    await test.until(() => new Set(idAt(test)).size >= 50);
    expect([...new Set(idAt(test))]).toEqual(numbers(10, 60));
    expect(test.gaps.filter(({ recovered }) => !recovered)).toEqual([]);
    expect(test.gaps).not.toEqual([]);
  });

  it.each([
    ['refuses the key', { key: 'another' }, {}],
    ['is of another instance', { key: 'k1' }, { skew: 7_000_000_000 }],
    ['is empty', { key: 'k1', isEmpty: true }, {}],
  ])('has a gap when its archive %s', async (_, { key, ...how }, shift) => {
    const rows = 'isEmpty' in how ? [] : archived(happenings.slice(0, 45), shift);
    const archive = archiveOver({ segments: segmentsOf(rows), key });
    await using host = await openJetHost({ happenings, floorSeq: 40, archive });
    await using test = stage(sourceAt(host.url), cursorAt(host.url, 9));
    await test.until(() => test.pages.length >= 21);
    expect(idAt(test)).toEqual(numbers(39, 60));
    expect(test.gaps).toMatchObject([{ from: new Date((BEGAN + 9_000_000) / 1_000), recovered: false }]);
    expect(test.troubles.join()).toContain('archive');
  });

  it('is healed once where two hosts have the same gap, which the second one then has no more', async () => {
    const rows = segmentsOf(archived(happenings.slice(0, 45)));
    const [one, two] = [archiveOver({ segments: rows }), archiveOver({ segments: rows })];
    await using first = await openJetHost({ happenings, floorSeq: 40, archive: one });
    await using second = await openJetHost({ happenings, floorSeq: 40, archive: two });
    const cursor = JSON.stringify({ ...JSON.parse(cursorAt(first.url, 9)), ...JSON.parse(cursorAt(second.url, 9)) });
    await using test = stage(sourceAt(first.url, { witness: second.url, archive: true, key: undefined }), cursor);
    await test.until(() => new Set(idAt(test)).size >= 50 && test.gaps.some(({ recovered }) => recovered));
    first.add(posted(60));
    second.add(posted(60));
    await test.until(() => new Set(idAt(test)).size >= 51);
    expect([...new Set(idAt(test))].toSorted((a, b) => a - b)).toEqual(numbers(10, 61));
    const last = new Map(test.gaps.map((gap) => [gap.from.getTime(), gap.recovered]));
    expect([...last.values()]).toEqual([true]);
    expect(one.asked.length === 0 || two.asked.length === 0).toBe(true);
  });
});
