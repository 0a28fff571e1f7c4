/**
 * Sends a server everything that a hostile caller or a hostile feed can think of, and asks four things: did it answer 5xx, did
 * a callback of its event loop use more than 50 ms of the processor, does it keep memory for what is over, and does it still match
 * and store as it should.
 */
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { randomFrom } from '../../bench/random.ts';
import { KEY, type Started, startServer } from '../black-box/server.ts';
import { hardText, SLOW_RULES } from './hostile-bodies.ts';
import { anyRequest, newAgent, type Target } from './hostile-requests.ts';

/** Requests under way at a time. */
const ABREAST = 12;
const WATCH = resolve(import.meta.dirname, 'loop-watch.ts');
const REPORTED = 20;
/** A callback may use the processor for this long. */
const LONGEST_MS = 50;
/** With fewer requests, caches that fill up and code that is compiled hide what is kept for each. */
const ENOUGH_FOR_MEMORY = 100_000;
/** Bytes that a request may leave behind on average, after the first quarter. */
const MOST_LEFT_BEHIND = 100;

export interface HostileOptions {
  readonly requests: number;
  readonly seed: number;
  /** One of the costly kinds in so many requests: they take most of the time. */
  readonly costlyIn?: number;
  readonly report?: (line: string) => void;
}

export interface HostileResult {
  readonly answers: Readonly<Record<string, number>>;
  /** Answers of 5xx, with what was sent. */
  readonly failures: readonly string[];
  /** Callbacks of the event loop that used more than 50 ms, with what was under way. */
  readonly blocks: readonly string[];
  /** The longest callback, however short; undefined where none used more than 20 ms. */
  readonly longest: string | undefined;
  /** The things that are not as they should be afterwards. */
  readonly problems: readonly string[];
}

interface UnderWay {
  name: string;
  readonly from: number;
  until: number;
}

export async function hostile({
  requests,
  seed,
  costlyIn = 80,
  report = () => {},
}: HostileOptions): Promise<HostileResult> {
  const random = randomFrom(seed);
  const folder = mkdtempSync(join(tmpdir(), 'sluice-hostile-'));
  const blocksFile = join(folder, 'blocks.ndjson');
  await using feed = await openHostileFeed(randomFrom(seed + 1));
  const config = join(folder, 'sluice.yaml');
  writeFileSync(
    config,
    `sources:\n  - kind: feeds\n    every: 2\n    pause: 0\n    allow_private: true\n    urls: [${feed.url}]\n`,
  );
  const settings = {
    NODE_OPTIONS: `--import=${WATCH}`,
    SLUICE_TEST_BLOCKS: blocksFile,
    SLUICE_CONFIG: config,
    SLUICE_ACCOUNT_RATE_LIMIT: 'off',
  };
  await using server = await startServer(settings, join(folder, 'data'));
  const target = await prepare(server, random);
  const known = await pushKnown(server, 'before');
  const began = Date.now();
  const answers: Record<string, number> = {};
  const failures: string[] = [];
  const log: UnderWay[] = [];
  let sent = 0;
  const heaps: Promise<number>[] = [];
  const lane = async (): Promise<void> => {
    while (sent < requests) {
      if (requests >= ENOUGH_FOR_MEMORY && sent === requests / 4) heaps.push(heapOf(server, blocksFile, 1));
      if (++sent % 10_000 === 0) report(`${sent} requests; ${failures.length} answers of 5xx`);
      const { name, kind } = anyRequest(random, costlyIn);
      const one: UnderWay = { name, from: Date.now(), until: Number.POSITIVE_INFINITY };
      log.push(one);
      const { status, text, what } = await kind(target);
      one.until = Date.now();
      if (what !== undefined) one.name = `${name} (${what})`;
      answers[status] = (answers[status] ?? 0) + 1;
      if (status >= 500) failures.push(`${status} to ${name}: ${text.slice(0, 300)}`);
      if (text.includes('"id":"match_')) target.ids.matches.push(/"id":"(match_[^"]+)"/.exec(text)![1]!);
      if (target.ids.matches.length > 200) target.ids.matches.shift();
    }
  };
  await Promise.all(Array.from({ length: ABREAST }, lane));
  target.agent.destroy();
  if (heaps.length > 0) heaps.push(heapOf(server, blocksFile, 2));
  const problems = [...growth(await Promise.all(heaps), requests, report), ...(await stillRight(server, known, feed))];
  return { answers, failures, ...readBlocks(blocksFile, log, began), problems };
}

/** The memory in use without garbage, once the server has told so often. */
async function heapOf(server: Started, file: string, times: number): Promise<number> {
  server.process.kill('SIGUSR2');
  for (;;) {
    await setTimeout(100);
    const told = linesOf(file).flatMap((line) => ('heap' in line ? [line.heap] : []));
    if (told.length >= times) return told[times - 1]!;
    const { exitCode, signalCode } = server.process;
    if (exitCode !== null || signalCode !== null) throw new Error('The server ended before it told its memory.');
  }
}

function growth([early, late]: readonly number[], requests: number, report: (line: string) => void): string[] {
  if (early === undefined || late === undefined) return [];
  const each = Math.round((late - early) / (requests * 0.75));
  const said = `memory without garbage: ${Math.round(early / 1e6)} MB after a quarter, ${Math.round(late / 1e6)} MB at the end: ${each} bytes a request`;
  report(said);
  return each > MOST_LEFT_BEHIND ? [said] : [];
}

/** Keys, rules that are slow, and a webhook that is owed everything. */
async function prepare(server: Started, random: () => number): Promise<Target> {
  const keys = [KEY, 'sk_wrong', 'enter_x'];
  for (const scope of ['read', 'ingest']) {
    const { body } = await server.call('POST', '/api.CreateKey', { name: scope, scope });
    keys.push(body['key'] as string);
  }
  const rules: string[] = [];
  for (const value of SLOW_RULES) {
    const rule = { name: 'slow', intent: '', platforms: ['firehose'], overrides: { firehose: value } };
    const { body, text } = await server.call('POST', '/api.CreateRule', rule);
    if (typeof body['rule_id'] !== 'string') throw new Error(`${value}: ${text}`);
    rules.push(body['rule_id']);
  }
  const { body } = await server.call('POST', '/api.CreateWebhook', { url: 'https://example.com/hook' });
  const webhooks = [body['webhook_id'] as string];
  await server.call('POST', '/api.UpdateWebhook', { webhook_id: webhooks[0], paused: true });
  let number = 0;
  return {
    url: server.url,
    agent: newAgent(),
    random,
    keys,
    ids: { rules, webhooks, matches: [] },
    next: () => `post${++number}`,
  };
}

const KNOWN = 50;

/** A rule of a word of its own, and posts that match it. */
async function pushKnown(server: Started, word: string): Promise<string> {
  const rule = { name: word, intent: '', platforms: ['x'], overrides: { x: `known${word}` } };
  const { body } = await server.call('POST', '/api.CreateRule', rule);
  const posts = Array.from({ length: KNOWN }, (_, index) => ({
    data: { id: `${word}${index}`, text: `known${word}` },
  }));
  await server.push('x', posts);
  return body['rule_id'] as string;
}

async function stillRight(server: Started, before: string, feed: HostileFeed): Promise<string[]> {
  const problems: string[] = [];
  const after = await pushKnown(server, 'after');
  for (const [name, rule_id] of Object.entries({ before, after })) {
    const { body } = await server.call('POST', '/matches', { rule_id, limit: 1_000 });
    const ids = (body['matches'] as { platform_post_id: string }[]).map((match) => match.platform_post_id);
    const wanted = Array.from({ length: KNOWN }, (_, index) => `${name}${index}`);
    if (ids.toSorted().join() !== wanted.toSorted().join()) problems.push(`${ids.length} of ${KNOWN} matches ${name}`);
  }
  const ready = await server.call('GET', '/readyz');
  if (ready.status !== 200) problems.push(`not ready: ${ready.text}`);
  const rule = await pushKnownFeed(server, feed);
  if (!rule) problems.push('the item of the feed was not matched');
  const { code } = await server.end('SIGTERM');
  if (code !== 0) problems.push(`it ended with status ${code}`);
  return problems;
}

/** A rule for an item that the feed brings from now on; the stream says when it has matched. */
async function pushKnownFeed(server: Started, feed: HostileFeed): Promise<boolean> {
  const rule = {
    name: 'feed',
    intent: '',
    platforms: ['firehose'],
    overrides: { firehose: 'title:"known from the feed"' },
  };
  const { body } = await server.call('POST', '/api.CreateRule', rule);
  const answer = await fetch(`${server.url}/matches/stream?rule_id=${body['rule_id'] as string}`, {
    headers: { authorization: `Bearer ${KEY}` },
  });
  feed.showKnown();
  let text = '';
  for await (const part of answer.body!.pipeThrough(new TextDecoderStream())) {
    text += part;
    if (text.includes('event: match')) return true;
  }
  return false;
}

interface HostileFeed extends AsyncDisposable {
  readonly url: string;
  /** From now on there is an item with a known title. */
  showKnown(): void;
}

/** A feed whose items are as bad as they get, and others with each visit. */
async function openHostileFeed(random: () => number): Promise<HostileFeed> {
  let [visits, isKnown] = [0, false];
  const item = (): string =>
    `<item><guid>${random()}</guid><title>lava</title><link>http://${'a.'.repeat(random() * 6_000)}com</link>` +
    `<description><![CDATA[${hardText(random).replaceAll(']]>', '')}]]></description></item>`;
  const server = createServer((_, response) => {
    const items = Array.from({ length: 1 + (++visits % 5) }, item);
    if (isKnown) items.push('<item><guid>known</guid><title>known from the feed</title></item>');
    const broken = visits % 7 === 0 ? '<item><title>' : '';
    response.setHeader('content-type', 'application/rss+xml');
    response.end(`<rss version="2.0"><channel>${items.join('')}${isKnown ? '' : broken}</channel></rss>`);
  });
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/feed.xml`,
    showKnown: () => {
      isKnown = true;
    },
    [Symbol.asyncDispose]: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

interface Block {
  readonly at: number;
  readonly cpu: number;
  readonly wall: number;
}

/** A long collection of garbage. */
interface Collection {
  readonly at: number;
  readonly gc: number;
}

/** What a block did, by where the thread was seen. */
interface Seen {
  readonly at: number;
  readonly seen: number;
  readonly stacks: readonly string[];
}

const linesOf = (file: string): (Block | Collection | Seen | { readonly heap: number })[] =>
  !existsSync(file)
    ? []
    : readFileSync(file, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));

/** The blocks since the first request, longest first; what the server does at its start is no caller's doing. */
function readBlocks(file: string, log: readonly UnderWay[], began: number): Pick<HostileResult, 'blocks' | 'longest'> {
  const all = linesOf(file);
  const collections = all.filter((one) => 'gc' in one);
  const noted = all
    .filter((one) => 'cpu' in one)
    .filter(({ at, wall }) => at - wall > began)
    .toSorted((one, other) => other.cpu - one.cpu);
  const told = noted.map(({ at, cpu, wall }) => {
    const names = log.filter(({ from, until }) => from <= at && until >= at - wall).map(({ name }) => name);
    const what = names.length === 0 ? 'nothing that was sent' : [...new Set(names)].join(', ');
    const when = `after ${Math.round((at - began) / 1_000)} s`;
    const collecting = collections.filter((one) => one.at <= at && one.at >= at - wall);
    const gc = collecting.reduce((sum, one) => sum + one.gc, 0);
    const seen = all.find((one) => 'seen' in one && one.at === at) as Seen | undefined;
    const where = seen === undefined ? '' : `; seen running for ${seen.seen} ms:\n    ${seen.stacks.join('\n    ')}`;
    return `${cpu} ms (${wall} ms on the clock, of which ${gc} ms of collecting garbage), ${when}, during ${what}${where}`;
  });
  const blocks = told.slice(0, noted.filter(({ cpu }) => cpu > LONGEST_MS).length);
  return { blocks, longest: told[0] };
}

/** `npm run campaign -- hostile [--requests N] [--seed S] [--costly-in K]`. */
export async function hostileCampaign({
  requests = 200_000,
  seed = Date.now(),
  'costly-in': costlyIn = 80,
}): Promise<boolean> {
  console.log(`hostile: ${requests} requests, seed ${seed}`);
  const { answers, failures, blocks, longest, problems } = await hostile({
    requests,
    seed,
    costlyIn,
    report: console.log,
  });
  console.log(`answers by status (0: cut): ${JSON.stringify(answers)}`);
  console.log(`${failures.length} answers of 5xx`);
  for (const failure of failures.slice(0, REPORTED)) console.log(`  ${failure}`);
  console.log(`${blocks.length} callbacks of more than ${LONGEST_MS} ms of the processor`);
  for (const block of blocks.slice(0, REPORTED)) console.log(`  ${block}`);
  if (blocks.length === 0 && longest !== undefined) console.log(`the longest: ${longest}`);
  for (const problem of problems) console.log(`  ${problem}`);
  return failures.length === 0 && blocks.length === 0 && problems.length === 0;
}
