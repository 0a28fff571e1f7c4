/**
 * Every kind of source × everything that can be wrong with what its site says, over the site's own protocol: what is stored, what
 * is told, and whether a certificate is issued. Nothing that was read is neither stored nor told.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSources } from '../../src/app/sources/sources.ts';
import { systemClock } from '../../src/base/clock.ts';
import { KINDS } from '../../src/sources/kinds/kinds.ts';
import { loadLanguages } from '../../src/sources/text/language.ts';
import { openService } from '../stages/service.ts';
import { FAULTS, type Fault, ODD_KINDS, type OddKind, type World } from './odd-sites.ts';
import type { Item } from './open-web-sites.ts';
import { http, PATIENCE, reader } from './stage.ts';

/**
 * `stored`: all of it, and a certificate says so. `gap`: what can be read is stored, the rest is a gap for good. `failure`: the
 * source is not well, or not complete up to now; when the site answers rightly again, all is stored and certified. `believed`: the
 * answer is one that the site may give.
 */
type Outcome = 'stored' | 'gap' | 'failure' | 'believed';

const USUAL: Readonly<Record<Fault, Outcome>> = {
  'malformed item': 'gap',
  'wrong type': 'gap',
  truncated: 'failure',
  empty: 'failure',
  'HTML with 200': 'failure',
  'redirect to login': 'failure',
  'duplicated page': 'stored',
  'reordered page': 'stored',
  'clock ahead': 'stored',
};

/** XML has no types: a time that is none is left out, and nobody asks for it. */
const untyped = { 'wrong type': 'stored' } as const;
const EXCEPT: Readonly<Record<string, Partial<Record<Fault, Outcome>>>> = {
  // Each frame is an item.
  jetstream: { truncated: 'gap', empty: 'gap' },
  feeds: untyped,
  // A timeline that lacks the last known post, or repeats itself, may lack others, and cannot be asked again.
  mastodon: { empty: 'gap', 'duplicated page': 'gap' },
  // An item that is not there, or is another one, is waited for and then given up.
  hackernews: { empty: 'gap', 'duplicated page': 'gap' },
  // Its query says how many papers there are.
  arxiv: { ...untyped, empty: 'believed', 'duplicated page': 'failure' },
  youtube: untyped,
  reddit: untyped,
  gdelt: untyped,
  // Any text is a page: a login page in its place is its new text. An image is none.
  watch: { 'malformed item': 'stored', 'wrong type': 'failure', 'HTML with 200': 'believed' },
  // A line is an item. A file whose lines are others than those that were read was replaced.
  ndjson: { truncated: 'gap', 'duplicated page': 'failure', 'reordered page': 'failure' },
};

const outcomeOf = (kind: string, fault: Fault): Outcome => EXCEPT[kind]?.[fault] ?? USUAL[fault];

const folder = mkdtempSync(join(tmpdir(), 'sluice-odd-'));
afterAll(() => rmSync(folder, { recursive: true }));
beforeAll(loadLanguages);

const ODD: Partial<Record<Fault, Item['odd']>> = { 'malformed item': 'malformed', 'wrong type': 'wrong type' };
const itemOf = (number: number, word: string, odd?: Item['odd']): Item => ({
  number,
  title: `Report ${number}`,
  text: `${word} number-${number} is what this report is about`,
  at: new Date().toISOString(),
  ...(odd && { odd }),
});
const log = { info() {}, warn() {}, error() {} };

/** A service with a rule, and the source as the server runs it. */
async function stageOf({ kind, options, open, isTimeless = false }: OddKind, file: string) {
  const world: World = { items: [1, 2, 3].map((number) => itemOf(number, 'calm')), fault: undefined, file };
  const site = await open(world);
  const test = await openService();
  const alice = await test.caller('alice');
  const overrides = { firehose: 'added:lava' };
  const rule = {
    name: 'Lava',
    intent: '',
    platforms: ['firehose'],
    overrides,
    options: { firehose: { quality: false, nsfw: true } },
  };
  const { rule_id } = await test.call(alice, 'createRule', rule);
  const config = { name: 'open', kind, options: { ...options(site.url, world) }, platforms: ['firehose' as const] };
  const tools = { log, clock: systemClock, http: () => http, pauses: [5] };
  const openReader = () => ({ ...reader, async [Symbol.asyncDispose]() {} });
  const sources = await openSources([config], { ...tools, openReader });
  let stopping = new AbortController();
  let running = Promise.resolve();
  const start = () => {
    stopping = new AbortController();
    running = sources.run(test.service.context, stopping.signal);
  };
  const stop = async () => {
    stopping.abort();
    await running;
  };
  const status = () => sources.statuses()[0];
  const coverage = async () => (await test.call(alice, 'listMatches', { rule_id })).coverage;
  const certify = (from: Date, to: Date) =>
    test.call(alice, 'certify', { rule_id, from: from.toISOString(), to: to.toISOString() });
  const isFile = kind === 'ndjson';
  const publish = () => {
    world.items.push(itemOf(world.items.length + 1, 'calm'));
    site.changed();
  };
  start();
  return {
    world,
    status,
    certify,
    coverage,
    isTimeless,
    isOnePage: kind === 'watch',
    /** Runs until it is complete up to some time. Who streams hears only what comes while it listens. */
    async begin() {
      const isDone = () => (status()?.events ?? 0) > 0 && status()?.through !== undefined;
      const step = () => {
        if (!isDone() && !isFile) publish();
        return isDone();
      };
      await expect.poll(step, { ...PATIENCE, interval: 30 }).toBe(true);
      await test.service.context.feeds.flush();
    },
    /** A file is read once: it is opened again for what was written since. */
    async announce() {
      if (isFile) await stop();
      site.changed();
      if (isFile) start();
    },
    /** The site answers rightly again, to connections that are made anew. */
    async heal() {
      if (isFile) await stop();
      world.fault = undefined;
      site.changed();
      if (isFile) start();
    },
    /** Something else is published. Answers how far the source is complete. */
    async next(): Promise<number> {
      if (!isFile) publish();
      return status()?.through?.getTime() ?? 0;
    },
    /** Not well, or connected and without anything to show for it. */
    isUnwell: () => status()?.state !== 'live' || (kind === 'wikipedia' && world.fault === 'empty'),
    async lacks(numbers: readonly number[]): Promise<number[]> {
      const { matches } = await test.call(alice, 'listMatches', { rule_id });
      const found = matches.flatMap(({ payload }) => [...JSON.stringify(payload).matchAll(/lava number-(\d+)/g)]);
      const stored = new Set(found.map(([, number]) => Number(number)));
      return numbers.filter((number) => !stored.has(number));
    },
    async [Symbol.asyncDispose]() {
      await stop();
      await site[Symbol.asyncDispose]();
      await test[Symbol.asyncDispose]();
    },
  };
}

type Stage = Awaited<ReturnType<typeof stageOf>>;

/** Which of three items can be read, by their places. */
function readable(kind: string, fault: Fault): readonly number[] {
  if (ODD[fault] !== undefined) return outcomeOf(kind, fault) === 'gap' && !isPartial(kind, fault) ? [0, 2] : [0, 1, 2];
  if (kind === 'ndjson' && fault === 'truncated') return [0, 1];
  const isLost = outcomeOf(kind, fault) === 'gap' && !(kind === 'mastodon' && fault === 'duplicated page');
  return isLost ? [] : [0, 1, 2];
}

/** The item is stored without the field that cannot be read, which is not its text. */
const isPartial = (kind: string, fault: Fault): boolean =>
  fault === 'wrong type' && (kind === 'github' || kind === 'mastodon');

async function drive(kind: OddKind, fault: Fault): Promise<void> {
  await using stage = await stageOf(kind, join(folder, `${kind.kind}-${fault}`.replaceAll(' ', '-')));
  const { world } = stage;
  await stage.begin();
  const from = new Date();
  const first = world.items.length + 1;
  const lava = [0, 1, 2].map((at) => first + at);
  world.fault = fault;
  for (const [at, number] of lava.entries())
    world.items.push(itemOf(number, 'lava', at === 1 ? ODD[fault] : undefined));
  await stage.announce();
  const good = readable(kind.kind, fault).map((at) => lava[at]!);
  await DRIVES[outcomeOf(kind.kind, fault)](stage, { from, good, lava });
}

interface Published {
  readonly from: Date;
  readonly good: readonly number[];
  readonly lava: readonly number[];
}

const DRIVES: Readonly<Record<Outcome, (stage: Stage, published: Published) => Promise<void>>> = {
  stored: (stage, published) => isCertifiedWith(stage, published, published.good),
  async gap(stage, { from, good }) {
    const told = async () => (await stage.coverage()).gaps.filter(({ recovered, to }) => !recovered && to !== null);
    await expect.poll(async () => [await stage.lacks(good), (await told()).length > 0], PATIENCE).toEqual([[], true]);
    expect(await stage.coverage()).toMatchObject({ complete: false, reasons: expect.arrayContaining(['gap']) });
    expect(stage.status()?.lastError?.message).toMatch(/missing|cannot be read|neither a post/);
    await stage.heal();
    // Also when all is well again.
    if (stage.isTimeless) return;
    await expect.poll(() => stage.next(), PATIENCE).toBeGreaterThan(from.getTime());
    const span = [from, stage.status()!.through!] as const;
    await expect(stage.certify(...span)).rejects.toMatchObject({
      details: { gaps: expect.arrayContaining([expect.objectContaining({ recovered: false })]) },
    });
  },
  async failure(stage, published) {
    await expect.poll(() => stage.isUnwell(), PATIENCE).toBe(true);
    await expect(
      stage.certify(published.from, new Date(Math.max(Date.now(), published.from.getTime() + 1))),
    ).rejects.toMatchObject({ code: 'failed_precondition' });
    await stage.heal();
    await isCertifiedWith(stage, published, published.lava);
  },
  /** The answer is right by all that can be known, and what it lacks comes later. */
  async believed(stage, published) {
    await expect.poll(() => stage.next(), PATIENCE).toBeGreaterThan(published.from.getTime());
    await stage.heal();
    await isCertifiedWith(stage, published, published.lava);
  },
};

/** A certificate is issued, and has all of these. */
async function isCertifiedWith(stage: Stage, { from }: Published, numbers: readonly number[]): Promise<void> {
  await expect.poll(() => stage.lacks(numbers), PATIENCE).toEqual([]);
  if (stage.isTimeless) return;
  const issued = async () => {
    await stage.next();
    const through = stage.status()?.through;
    if (through === undefined || through <= from) return 'it is behind';
    return stage.certify(from, through).then(
      ({ matches }) => matches >= (stage.isOnePage ? 1 : numbers.length),
      (error: unknown) => JSON.stringify(error),
    );
  };
  await expect.poll(issued, { ...PATIENCE, interval: 30 }).toBe(true);
  expect(await stage.coverage()).toMatchObject({ complete: true, reasons: [] });
}

describe('what a site says wrongly', () => {
  it('is tried with every kind of source', () => {
    expect(ODD_KINDS.map(({ kind }) => kind).toSorted()).toEqual(Object.keys(KINDS).toSorted());
    expect([ODD_KINDS.length, FAULTS.length]).toEqual([13, 9]);
  });

  describe.each(ODD_KINDS)('$kind', (kind) => {
    it.each(FAULTS)('%s', (fault) => expect(drive(kind, fault)).resolves.toBeUndefined());
  });
});
