/**
 * `npm run bench -- rehearse`: the speed of a rehearsal over blocks of Jetstream's archive, as a share of the speed of decoding
 * them. Both are measured in turns in one run, in CPU time, of the same blocks.
 */
import { systemClock } from '../src/base/clock.ts';
import { createSlowLane } from '../src/base/cooperate.ts';
import { languages } from '../src/rules/languages.ts';
import { textsOfRequest } from '../src/rules/rule-text.ts';
import { createRehearser } from '../src/service/rehearsal/rehearser.ts';
import { eventsOfRow } from '../src/sources/history/archive-history.ts';
import { rowsOfBlock, unpackBlock } from '../src/sources/kinds/bluesky/archive-block.ts';
import { POSTS } from '../src/sources/kinds/bluesky/wire.ts';
import { loadLanguages } from '../src/sources/text/language.ts';
import { packedBlock } from '../test/sources/archive-server.ts';
import { readCorpus } from './corpus.ts';

const BLOCK = 2_000;
const WARMING = 3;
const BEGAN = 1_760_000_000_000_000;
const RULES = ['volcano lang:en', '(storm OR flood OR quake) -is:reply', 'the lang:en', '"climate change" has:links'];

interface Corpus {
  readonly data: { readonly text: string; readonly lang?: string };
}

const REPLIED = { uri: `at://did:plc:abcdefghijklmnopqrstuvwx/${POSTS}/3laaaaaaaaa2b`, cid: 'bafyreia' };

/** Half of the rows of a real block are of other collections; these are all posts, which is the hard case. */
function makeBlocks(count: number): Buffer[] {
  const texts = readCorpus('x').payloads.slice(0, count) as Corpus[];
  const rows = texts.map(({ data: { text, lang } }, at) => ({
    seq: at + 1,
    time: BEGAN + at * 10_000,
    kind: 1 as const,
    did: `did:plc:${String(at % 5_000).padStart(24, 'a')}`,
    collection: POSTS,
    rkey: `3l${String(at).padStart(11, '2')}`,
    rev: '3m5aaaaaaaa2b',
    event: {
      $type: POSTS,
      text,
      createdAt: new Date(BEGAN / 1_000 + at * 10).toISOString(),
      langs: [lang ?? 'en'],
      // A third of Bluesky's posts are replies.
      ...(at % 3 === 0 && { reply: { root: REPLIED, parent: REPLIED } }),
    },
  }));
  return Array.from({ length: Math.ceil(rows.length / BLOCK) }, (_, at) =>
    packedBlock(rows.slice(at * BLOCK, (at + 1) * BLOCK)),
  );
}

/** A program of one's own does this to have the events in hand: unpack, split, decode. No id is made of any bytes. */
async function decode(blocks: readonly Buffer[]): Promise<number> {
  let events = 0;
  for (const block of blocks) {
    const decoded = Array.from(rowsOfBlock(await unpackBlock(block), POSTS), ({ seq, time, event }) => {
      const { collection, rkey, rev, record } = event!.commit!;
      return { seq, time, did: event!.did, collection, rkey, rev, record };
    });
    events += decoded.length;
  }
  return events;
}

async function rehearse(blocks: readonly Buffer[], rule: string): Promise<number> {
  const rehearser = createRehearser({
    texts: textsOfRequest({ x: rule }, undefined),
    languages: languages({ local: true }),
  });
  const pause = createSlowLane(systemClock);
  for (const block of blocks)
    for (const row of rowsOfBlock(await unpackBlock(block), POSTS))
      for (const event of eventsOfRow(row, 'jetstream', ['x'])) {
        const work = rehearser.take(event);
        const pausing = pause(typeof work === 'number' ? work : await work);
        if (pausing !== undefined) await pausing;
      }
  return rehearser.state(true).x?.matched ?? 0;
}

async function cpuSeconds(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

export async function benchRehearse({ quick }: { quick: boolean }): Promise<object> {
  await loadLanguages();
  const [count, turns] = quick ? [6_000, 9] : [20_000, 15];
  const blocks = makeBlocks(count);
  const events = await decode(blocks);
  const figures: Record<string, object> = {};
  for (const rule of RULES) {
    const times: { decode: number; rehearse: number }[] = [];
    let matched = 0;
    // A real archive has hundreds of millions of events: what counts is the speed of code that runs for a while.
    for (let turn = 0; turn < WARMING; turn++) {
      await decode(blocks);
      await rehearse(blocks, rule);
    }
    for (let turn = 0; turn < turns; turn++)
      times.push({
        decode: await cpuSeconds(() => decode(blocks)),
        rehearse: await cpuSeconds(async () => {
          matched = await rehearse(blocks, rule);
        }),
      });
    const [decoding, rehearsing] = [median(times.map((one) => one.decode)), median(times.map((one) => one.rehearse))];
    figures[rule] = {
      matched,
      decodedPerSecond: Math.round(events / decoding),
      rehearsedPerSecond: Math.round(events / rehearsing),
      share: Math.round((decoding / rehearsing) * 100) / 100,
    };
  }
  return { events, ...figures };
}
