/**
 * Random outages, crashes and hosts that withhold, in virtual time, under a service with the real sources, ledger and store.
 * The oracle has every post that was made: a certificate is false when one of its span, that the rule matches, is not in it.
 */
import { EventEmitter } from 'node:events';
import { type Random, randomFrom } from '../../bench/random.ts';
import { verifyCertificate } from '../../packages/client/src/index.ts';
import { openSources } from '../../src/app/sources/sources.ts';
import type { Platform } from '../../src/domain/platform.ts';
import type { Caller } from '../../src/service/access/caller.ts';
import type { HttpAnswer, SourceHttp } from '../../src/sources/fetch/fetch-url.ts';
import { SourceError } from '../../src/sources/fetch/source-error.ts';
import { readSource, type SourceConfig } from '../../src/sources/kinds/kinds.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { tid } from '../sources/jetstream-server.ts';
import { reader } from '../sources/stage.ts';
import { type FakeClock, fakeClock } from '../stages/fake-clock.ts';
import { openService } from '../stages/service.ts';

const TICK_MS = 2_000;
const MINUTE = 60_000;
const log = { info: () => {}, warn: () => {}, error: () => {} };

/** The oracle's knowledge of a post. */
interface Made {
  readonly number: number;
  readonly at: number;
  readonly isMatch: boolean;
  /** Nobody can read it. */
  readonly isOdd: boolean;
}

/** A trouble, and the milliseconds of the trial that it begins and ends at. */
interface Trouble {
  readonly kind:
    | 'east-down'
    | 'west-down'
    | 'all-down'
    | 'east-blind'
    | 'west-blind'
    | 'crash'
    | 'store-down'
    | 'rush'
    /** Posts that cannot be read are made, and a site answers wrongly. */
    | 'spoilt'
    /** The rule has another text, or rests. */
    | 'edited'
    | 'paused'
    /** The source is not in the configuration. */
    | 'switched-off'
    /** Matches are erased, now and then. */
    | 'erasing';
  readonly from: number;
  readonly to: number;
}

/** A site, or two hosts: told what is made, and in which trouble it is. */
interface World {
  readonly config: SourceConfig;
  readonly http: SourceHttp;
  /** The share of ticks with a post. */
  readonly rate: number;
  make(post: Made, troubles: ReadonlySet<Trouble['kind']>): void;
  tick(troubles: ReadonlySet<Trouble['kind']>): void;
}

export interface OutageReport {
  readonly trials: number;
  readonly issued: number;
  readonly refused: number;
  /** Certificates that lack a match, with the seed of their trial. */
  readonly lacking: readonly string[];
  readonly crashes: number;
  readonly gaps: number;
  /** Matches that were erased. */
  readonly erased: number;
}

export async function outages(
  trials: number,
  seed: number,
  onTrial: (trial: number) => void = () => {},
): Promise<OutageReport> {
  const report = { trials, issued: 0, refused: 0, lacking: [] as string[], crashes: 0, gaps: 0, erased: 0 };
  for (let trial = 0; trial < trials; trial++) {
    const one = await outage(seed + trial);
    report.issued += one.issued;
    report.refused += one.refused;
    report.crashes += one.crashes;
    report.gaps += one.gaps;
    report.erased += one.erased;
    report.lacking.push(...one.lacking);
    for (const found of one.lacking) console.log(found);
    onTrial(trial + 1);
  }
  return report;
}

/** One trial: the same for the same seed. */
export async function outage(seed: number) {
  const random = randomFrom(seed);
  const realRandom = Math.random;
  Math.random = random;
  try {
    return await runTrial(seed, random);
  } finally {
    Math.random = realRandom;
  }
}

async function runTrial(seed: number, random: Random) {
  const clock = fakeClock();
  const world = random() < 0.6 ? bluesky(clock, random) : site(random);
  const platform = world.config.platforms[0]!;
  await using store = await openSqlite(':memory:', { clock });
  const lasts = (5 + random() * 9) * MINUTE;
  const troubles = troublesOf(random, lasts);
  const made: Made[] = [];
  const start = clock.now().getTime();
  let run = await startRun(clock, store, world);
  const caller = await run.service.caller('ada');
  const rule = { name: 'Lava', intent: '', platforms: [platform], overrides: { [platform]: 'lava' } };
  const { rule_id } = await run.service.call(caller, 'createRule', rule);
  let crashes = 0;
  const state = { isEdited: false, isPaused: false };
  const erased = new Set<number>();
  while (clock.now().getTime() - start < lasts + 3 * MINUTE) {
    const now = clock.now().getTime() - start;
    const on = new Set(troubles.filter(({ from, to }) => now >= from && now < to).map(({ kind }) => kind));
    if (on.has('crash') && run.isUp) crashes++;
    // A configuration is read at a start.
    const isSwitched = run.isUp && run.isSwitchedOff !== on.has('switched-off');
    if ((on.has('crash') || isSwitched) && run.isUp) run.kill();
    if (!on.has('crash') && !run.isUp) run = await startRun(clock, store, world, on.has('switched-off'));
    run.fault.isAway = on.has('store-down');
    if (run.isUp && !run.fault.isAway) {
      await changeRule(run, { caller, rule_id, platform }, state, on);
      if (on.has('erasing') && random() < 0.3) await eraseOne(run, caller, random, erased);
    }
    for (const post of postsOf(random, world.rate, { count: made.length, now: clock.now().getTime(), on })) {
      made.push(post);
      world.make(post, on);
    }
    world.tick(on);
    await clock.pass(TICK_MS);
  }
  const asked = { seed, start, lasts, made, erased, rule_id };
  const certified = await certifySpans(run, random, asked);
  const gaps = (await store.gaps({ platform, limit: 1_000 })).length;
  run.kill();
  return { ...certified, crashes, gaps, erased: erased.size };
}

/** The rule as the troubles want it. Its other text has the same matches, and a certificate is of one text. */
async function changeRule(
  { service }: Awaited<ReturnType<typeof startRun>>,
  { caller, rule_id, platform }: { caller: Caller; rule_id: string; platform: Platform },
  state: { isEdited: boolean; isPaused: boolean },
  on: ReadonlySet<Trouble['kind']>,
): Promise<void> {
  const [isEdited, isPaused] = [on.has('edited'), on.has('paused')];
  if (isEdited !== state.isEdited) {
    const overrides = { [platform]: isEdited ? 'lava OR ashes' : 'lava' };
    await service.call(caller, 'updateRule', { rule_id, overrides });
  }
  if (isPaused !== state.isPaused) await service.call(caller, 'updateRule', { rule_id, paused: isPaused });
  Object.assign(state, { isEdited, isPaused });
}

/** Any match, in a way of an account or of the operator. Which numbers are gone is what the oracle keeps. */
async function eraseOne(
  { service }: Awaited<ReturnType<typeof startRun>>,
  caller: Caller,
  random: Random,
  erased: Set<number>,
): Promise<void> {
  const { matches } = await service.call(caller, 'listMatches', { limit: 50 });
  const match = matches[Math.floor(random() * matches.length)];
  if (match === undefined) return;
  const { platform, platform_post_id } = match;
  await service.call(caller, 'deleteMatches', { platform, platform_post_id });
  erased.add(numberIn(JSON.stringify(match.payload)));
}

/** A post every few seconds; in a rush, more than a site lists. */
function postsOf(
  random: Random,
  rate: number,
  { count, now, on }: { count: number; now: number; on: ReadonlySet<Trouble['kind']> },
): Made[] {
  const posts = on.has('rush') ? 6 : random() < rate ? 1 : 0;
  return Array.from({ length: posts }, (_, at) => ({
    number: count + at + 1,
    at: now,
    isMatch: random() < 0.3,
    isOdd: on.has('spoilt') && random() < 0.3,
  }));
}

/** Hosts that withhold do so one at a time: what both withhold, no one can know. */
function troublesOf(random: Random, lasts: number): Trouble[] {
  const kinds: Trouble['kind'][] = [
    'east-down',
    'west-down',
    'all-down',
    'crash',
    'store-down',
    'rush',
    'spoilt',
    'edited',
    'paused',
    'switched-off',
    'erasing',
  ];
  const some = Array.from({ length: 1 + Math.floor(random() * 4) }, () => {
    const from = random() * lasts;
    const kind = kinds[Math.floor(random() * kinds.length)]!;
    // A crash is over before the trial ends, so that there is a service to ask.
    return { kind, from, to: Math.min(from + random() * (kind === 'rush' ? 1 : 5) * MINUTE, lasts + MINUTE) };
  });
  const blindFrom = random() * lasts;
  const blind = random() < 0.5 ? 'east-blind' : 'west-blind';
  const spoiltFrom = random() * lasts;
  return [
    ...some,
    { kind: blind, from: blindFrom, to: blindFrom + random() * 8 * MINUTE },
    { kind: 'spoilt', from: spoiltFrom, to: spoiltFrom + random() * MINUTE },
  ];
}

/** The service and its source, until they are killed: then nothing of theirs reaches the store any more. */
async function startRun(clock: FakeClock, store: Store, { config, http }: World, isSwitchedOff = false) {
  const fault = { isAway: false, isDead: false };
  const behind = new Proxy(store, {
    get(target, name: keyof Store) {
      const real = target[name] as unknown;
      if (typeof real !== 'function') return real;
      return (...given: unknown[]) => {
        if (fault.isDead && !isIterable(name)) return new Promise(() => {});
        if (fault.isAway && WRITES.has(name)) return Promise.reject(new Error('the store is away'));
        return (real as (...all: unknown[]) => unknown).apply(target, given);
      };
    },
  });
  const service = await openService({ clock, store: behind });
  const stop = new AbortController();
  const sources = await openSources(isSwitchedOff ? [] : [config], {
    log,
    clock,
    http: () => http,
    openReader: () => ({ ...reader, [Symbol.asyncDispose]: async () => {} }),
  });
  void sources.run(service.service.context, stop.signal).catch(() => {});
  void service.service.context.feeds.run(stop.signal);
  return {
    service,
    fault,
    isSwitchedOff,
    get isUp() {
      return !fault.isDead;
    },
    kill() {
      fault.isDead = true;
      stop.abort();
    },
  };
}

const WRITES: ReadonlySet<PropertyKey> = new Set(['commit', 'noteGaps', 'noteFeeds']);
const isIterable = (name: PropertyKey): boolean => name === 'recentEvents' || name === Symbol.asyncDispose;

interface Asked {
  readonly seed: number;
  readonly start: number;
  readonly lasts: number;
  readonly made: readonly Made[];
  readonly erased: ReadonlySet<number>;
  readonly rule_id: string;
}

/** Asks for certificates of random spans, and compares each with what was made. */
async function certifySpans(
  { service }: Awaited<ReturnType<typeof startRun>>,
  random: Random,
  { seed, start, lasts, made, erased, rule_id }: Asked,
) {
  const caller = await service.caller('ada');
  const numbers = new Map(
    (await service.everyMatch(caller)).map(({ id, payload }) => [id, numberIn(JSON.stringify(payload))]),
  );
  const result = { issued: 0, refused: 0, lacking: [] as string[] };
  for (let span = 0; span < SPANS; span++) {
    const [one, other] = [random() * lasts, random() * lasts];
    const [from, to] = [start + Math.min(one, other), start + Math.max(one, other)];
    const input = { rule_id, from: new Date(from).toISOString(), to: new Date(to).toISOString() };
    const answer = await service.call(caller, 'certify', input).catch(() => undefined);
    if (answer === undefined) {
      result.refused++;
      continue;
    }
    result.issued++;
    const read = await verifyCertificate(answer.certificate).catch(() => undefined);
    const certified = new Set(
      [...answer.certificate.matchAll(/"match_id":"([^"]+)"/g)].map(([, id]) => numbers.get(id!)),
    );
    const due = made.filter(({ at, isMatch }) => isMatch && at >= from && at <= to).map(({ number }) => number);
    const lacking = due.filter((number) => !certified.has(number) && !erased.has(number));
    const untold = due.filter((number) => erased.has(number)).length > (read?.claim.erased ?? 0);
    const kept = [...erased].filter((number) => certified.has(number));
    if (read === undefined || lacking.length + kept.length > 0 || untold)
      result.lacking.push(
        `seed ${seed}: ${input.from} to ${input.to} lacks ${lacking.join()}, has erased ${kept.join()}, untold ${untold}`,
      );
  }
  return result;
}

const SPANS = 12;
const textOf = ({ number, isMatch }: Made): string => `${isMatch ? 'lava' : 'calm'} number-${number}`;
const numberIn = (json: string): number => Number(/number-(\d+)/.exec(json)?.[1]);

const configOf = (given: Record<string, unknown>): SourceConfig => {
  const config = readSource(given);
  if ('problems' in config) throw new Error(JSON.stringify(config.problems));
  return config;
};
const noCalls = async (): Promise<never> => {
  throw new SourceError('there is no such host');
};

/** Two hosts of Jetstream with clocks of their own. Some forget what is older than a few minutes. */
function bluesky(clock: FakeClock, random: Random): World {
  const hosts = (['east', 'west'] as const).map((name, at) => virtualHost(name, clock, random, at * 100_000 + 1));
  const socket = (url: string) => hosts.find(({ name }) => url.includes(name))!.connect(new URL(url)) as never;
  return {
    config: configOf({
      kind: 'jetstream',
      name: 'open',
      url: 'ws://east.test',
      witness: 'ws://west.test',
      platform: 'x',
    }),
    http: { get: noCalls, stream: noCalls, socket },
    rate: 0.6,
    make(post, on) {
      for (const host of hosts) if (!on.has(`${host.name}-blind`) || random() < host.lets) host.witness(post);
    },
    tick(on) {
      for (const host of hosts) host.tick(on.has(`${host.name}-down`) || on.has('all-down'));
    },
  };
}

interface Frame {
  readonly seq: number;
  readonly time: number;
  readonly text: string;
}

function virtualHost(name: 'east' | 'west', clock: FakeClock, random: Random, firstSeq: number) {
  const skew = (random() - 0.5) * 2_000;
  const keepsMs = random() < 0.3 ? (1 + random() * 4) * MINUTE : Number.POSITIVE_INFINITY;
  const frames: Frame[] = [];
  const sockets = new Set<EventEmitter>();
  let unsent: Frame[] = [];
  let isDown = false;
  let forgot = 0;

  function greet(socket: EventEmitter, url: URL): void {
    const cursor = Number(url.searchParams.get('cursor') ?? Number.NaN);
    const isTime = cursor >= 1e15;
    const known = frames.slice(forgot);
    if (isDown) return void socket.emit('error', new Error('refused'));
    if (cursor < 1e15 && !known.some(({ seq }) => seq === cursor)) {
      refuse(socket);
      return;
    }
    socket.emit('open');
    const isOutdated = isTime && forgot > 0 && cursor < known[0]!.time;
    if (isOutdated) send(socket, { $type: `${TYPE}#info`, name: 'OutdatedCursor', message: '' });
    const late = known.filter(
      ({ seq, time }) => !unsent.some((one) => one.seq === seq) && (isTime ? time >= cursor : seq >= cursor),
    );
    for (const { text } of late) socket.emit('message', Buffer.from(text), false);
    sockets.add(socket);
  }

  return {
    name,
    /** The share of posts that it lets through while it is blind. */
    lets: random() < 0.5 ? 0 : 0.9,
    connect(url: URL) {
      const socket = Object.assign(new EventEmitter(), {
        isPaused: false,
        pause: () => {},
        resume: () => {},
        terminate: () => void sockets.delete(socket),
      });
      setImmediate(() => greet(socket, url));
      return socket;
    },
    witness(post: Made) {
      const time = (post.at + skew + Math.floor(random() * 500)) * 1_000;
      const seq = firstSeq + frames.length;
      const frame = { seq, time, text: frameOf(post, seq, time) };
      frames.push(frame);
      unsent.push(frame);
    },
    /** Sends what it witnessed, unless it is down: then its connections break, and it sends nothing until it is back. */
    tick(down: boolean) {
      isDown = down;
      const old = (clock.now().getTime() - keepsMs) * 1_000;
      while (frames[forgot] !== undefined && frames[forgot]!.time < old && forgot < frames.length - 1) forgot++;
      const fresh = unsent;
      unsent = [];
      if (isDown) for (const socket of sockets) socket.emit('close', 1006);
      if (isDown) sockets.clear();
      for (const socket of sockets) for (const { text } of fresh) socket.emit('message', Buffer.from(text), false);
    },
  };
}

const TYPE = 'network.bsky.jetstream.subscribeEvents';

const send = (socket: EventEmitter, payload: object): void =>
  void socket.emit('message', Buffer.from(JSON.stringify({ $type: 'message', payload })), false);

function refuse(socket: EventEmitter): void {
  const body = [Buffer.from('{"error":"CursorTooOld","message":"too old"}')];
  const answer = { statusCode: 400, headers: {}, destroy: () => {}, [Symbol.asyncIterator]: () => asyncOf(body) };
  socket.emit('unexpected-response', undefined, answer);
}

async function* asyncOf<T>(list: readonly T[]): AsyncIterator<T> {
  yield* list;
}

function frameOf(post: Made, seq: number, time: number): string {
  const at = post.at * 1_000;
  const commit = {
    rev: tid(at),
    operation: 'create',
    collection: 'app.bsky.feed.post',
    rkey: `3l${post.number}`,
    cid: `bafy${post.number}`,
  };
  const record = {
    text: post.isOdd ? post.number : textOf(post),
    langs: ['en'],
    createdAt: new Date(post.at).toISOString(),
  };
  const seconds = new Date(Math.floor(time / 1_000)).toISOString();
  const payload = {
    $type: `${TYPE}#commit`,
    seq,
    did: `did:plc:author${post.number}`,
    time: seconds,
    ...commit,
    record,
  };
  return JSON.stringify({ $type: 'message', payload });
}

/** A site whose feed shows the last fifteen. It is down with `east-down` and `all-down`. */
function site(random: Random): World {
  const posts: Made[] = [];
  let isDown = false;
  let isSpoilt = false;
  const entryOf = (post: Made) =>
    post.isOdd
      ? '<entry></entry>'
      : `<entry><id>yt:video:${post.number}</id><title>Report</title><summary>${textOf(post)}</summary>
    <link rel="alternate" href="https://a.example/${post.number}"/><published>${new Date(post.at).toISOString()}</published></entry>`;
  return {
    config: configOf({ kind: 'youtube', name: 'open', channels: ['UC_x5XG1OV2P6uZZ5FSM9Ttw'], every: 300 }),
    http: {
      async get({ url }): Promise<HttpAnswer> {
        if (isDown) throw new SourceError('the site is down');
        const shown = posts.slice(-15).toReversed().map(entryOf);
        const feed = `<feed xmlns="http://www.w3.org/2005/Atom">${shown.join('')}</feed>`;
        const wrong = [
          '<html>Log in</html>',
          '',
          feed.slice(0, feed.length / 2),
          feed.replaceAll(/<entry>.*/gs, '</feed>'),
          feed,
        ];
        const body = Buffer.from(isSpoilt ? wrong[Math.floor(random() * wrong.length)]! : feed);
        return { status: 200, url, headers: {}, body, retryAfter: undefined };
      },
      stream: noCalls,
      socket: () => {
        throw new SourceError('there is no socket');
      },
    },
    rate: 0.05,
    make: (post) => void posts.push(post),
    tick(on) {
      isDown = on.has('east-down') || on.has('all-down');
      isSpoilt = on.has('spoilt');
    },
  };
}
