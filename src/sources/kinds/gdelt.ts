/**
 * News that the GDELT Project finds in the world's media: a file every 15 minutes. `lastupdate.txt` names the newest; those
 * before it are named by their times, so a break is made up file by file. The cursor is the time of the last file read.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { trimEnd } from '../../base/parse-url.ts';
import type { Page } from '../contract/page.ts';
import type { Source, SourceArrival, SourceContext, SourceGap } from '../contract/source.ts';
import { createPolite, type Polite } from '../fetch/polite.ts';
import { everyOption, pauseOption } from '../fetch/rounds.ts';
import { SourceError } from '../fetch/source-error.ts';
import { DamagedError, unzipped } from '../fetch/unzip.ts';
import { webAddress } from '../fetch/web-address.ts';
import { UNREADABLE, unreadOf } from '../text/read-items.ts';
import { linesOf, pageOfRecord } from './gdelt-record.ts';

export const gdeltOptions = z.strictObject({
  url: webAddress.default('http://data.gdeltproject.org/gdeltv2'),
  /** Articles in 65 other languages, with the words that GDELT translated, instead of the English ones. */
  translated: z.boolean().default(false),
  /** Seconds between two looks at `lastupdate.txt`. */
  every: everyOption(60, 300),
  /** Seconds between two requests. */
  pause: pauseOption(1),
  /** Hours of a break that are made up; what is older is a gap. */
  catch_up: z.number().min(1).max(720).default(48),
});

type Options = z.output<typeof gdeltOptions>;

const SLOT_MS = 15 * 60_000;
/** A file may come late. One that is missing when this many newer ones are there is given up. */
const PATIENCE_SLOTS = 4;
const MAX_PACKED = 64 * 1024 * 1024;
const MAX_UNPACKED = 512 * 1024 * 1024;
const AT_ONCE = 200;

export function gdelt(name: string, options: Options): Source {
  return {
    name,
    kind: 'gdelt',
    replaysMs: options.catch_up * 3_600_000,
    async *read(context) {
      const polite = createPolite({ ...context, pauseMs: options.pause * 1_000 });
      const desk: Desk = { name, options, context, polite };
      const stored = await context.cursor();
      let done = stored === undefined ? undefined : timeOf(stored);
      while (!context.signal.aborted) {
        const newest = await newestFile(desk);
        context.live();
        for (const at of slotsAfter(done, newest.time, options)) {
          if (done !== undefined && at - done > SLOT_MS) yield skipped(done, at - SLOT_MS);
          if (!(yield* readSlot(desk, at, newest))) break;
          done = at;
          yield { pages: [], cursor: { value: nameOf(at) }, reaches: new Date(at) };
        }
        await context.clock.sleep(options.every * 1_000, context.signal);
      }
    },
  };
}

interface Desk {
  readonly name: string;
  readonly options: Options;
  readonly context: SourceContext;
  readonly polite: Polite;
}

interface NewestFile {
  readonly time: number;
  readonly md5: string;
}

const nameOf = (time: number): string => new Date(time).toISOString().slice(0, 19).replaceAll(/\D/g, '');

/** `20261115083000`, in UTC. Not a number when it is no time. */
const timeOf = (name: string): number =>
  Date.parse(name.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/, '$1-$2-$3T$4:$5:$6Z'));

/** Times of the files to read: the newest alone at the first start, then all since, as far as they are made up. */
export function* slotsAfter(
  done: number | undefined,
  newest: number,
  { catch_up }: Pick<Options, 'catch_up'>,
): Iterable<number> {
  const first = done === undefined ? newest : Math.max(done + SLOT_MS, newest - catch_up * 3_600_000);
  const aligned = newest - Math.floor((newest - first) / SLOT_MS) * SLOT_MS;
  for (let at = aligned; at <= newest; at += SLOT_MS) yield at;
}

/** A span that no file brought. */
const skipped = (from: number, to: number): SourceArrival => {
  const gap: SourceGap = { from: new Date(from), to: new Date(to), cause: 'source_down', recovered: false };
  return { pages: [], gaps: [gap] };
};

/** Whether it is done with this file: one that is missing or damaged is waited for, and then given up. */
async function* readSlot(desk: Desk, at: number, newest: NewestFile): AsyncGenerator<SourceArrival, boolean> {
  const isLate = newest.time - at >= PATIENCE_SLOTS * SLOT_MS;
  try {
    const packed = await fetchFile(desk, at, newest);
    if (packed !== undefined) {
      yield* pagesIn(desk, at, packed);
      return true;
    }
  } catch (error) {
    if (!isLate || !(error instanceof DamagedError)) throw error;
    desk.context.trouble(`The file ${nameOf(at)} of GDELT is left out: ${error.message}`);
  }
  if (isLate) yield skipped(at - SLOT_MS, at);
  return isLate;
}

/** Lines of `lastupdate.txt` are size, MD5 and address of a file; the one of articles is named `gkg`. */
async function newestFile({ options, context, polite }: Desk): Promise<NewestFile> {
  const list = options.translated ? 'lastupdate-translation.txt' : 'lastupdate.txt';
  const { status, body, retryAfter } = await polite.get({
    url: `${trimEnd(options.url, '/')}/${list}`,
    maxBytes: 64 * 1024,
    signal: context.signal,
  });
  if (status !== 200) throw new SourceError(`GDELT answered ${status}.`, { retryAfter });
  const [, md5 = '', name = ''] =
    /^\d+ ([0-9a-f]{32}) \S*\/(\d{14})\.(?:translation\.)?gkg\.csv\.zip$/im.exec(body.toString()) ?? [];
  const time = timeOf(name);
  if (Number.isNaN(time)) throw new SourceError(`${list} of GDELT names no file of articles.`);
  if (time > context.clock.now().getTime() + SLOT_MS)
    throw new SourceError(`${list} of GDELT names a file of the future.`);
  return { time, md5: md5.toLowerCase() };
}

/** Returns undefined when there is no such file. The sum of the newest is known: it may be read while it is written. */
async function fetchFile(
  { options, context, polite }: Desk,
  at: number,
  newest: NewestFile,
): Promise<Buffer | undefined> {
  const ending = options.translated ? 'translation.gkg.csv.zip' : 'gkg.csv.zip';
  const { status, body, retryAfter } = await polite.get({
    url: `${trimEnd(options.url, '/')}/${nameOf(at)}.${ending}`,
    maxBytes: MAX_PACKED,
    signal: context.signal,
  });
  if (status === 404) return undefined;
  if (status !== 200) throw new SourceError(`GDELT answered ${status}.`, { retryAfter });
  if (at === newest.time && createHash('md5').update(body).digest('hex') !== newest.md5)
    throw new SourceError(`The file ${nameOf(at)} of GDELT is not what its list says.`);
  return body;
}

async function* pagesIn({ name, context, options }: Desk, at: number, packed: Buffer): AsyncIterable<SourceArrival> {
  let batch: Page[] = [];
  let unread: (typeof UNREAD)[] = [];
  let records = 0;
  const arrivalOf = (): SourceArrival => {
    const told = unreadOf(`the file ${nameOf(at)} of GDELT`, unread);
    return { pages: batch, ...(told && { unread: { ...told, since: new Date(at - SLOT_MS) } }) };
  };
  for await (const line of linesOf(unzipped(packed, MAX_UNPACKED))) {
    if (context.signal.aborted) return;
    const page = pageOfRecord(name, line, options);
    records++;
    if (page === undefined) unread.push(UNREAD);
    else if (page !== 'elsewhere') batch.push(page);
    if (batch.length + unread.length < AT_ONCE) continue;
    yield arrivalOf();
    [batch, unread] = [[], []];
  }
  if (records === 0) throw new DamagedError('It has no records.');
  if (batch.length + unread.length > 0) yield arrivalOf();
}

const UNREAD = { reason: UNREADABLE };
