import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { slow } from '../../../test/stages/slow.ts';
import { languages } from '../../rules/languages.ts';
import { type Texts, textsOfRequest } from '../../rules/rule-text.ts';
import { SourceError } from '../../sources/fetch/source-error.ts';
import { HistoryError, type HistoryPart } from '../../sources/history/history.ts';
import { StoreError } from '../../store/error.ts';
import type { HeldLease } from '../../store/lease.ts';
import type { RehearsalStep } from '../../store/store.ts';
import type { Compute, ComputeWish, Job } from '../compute.ts';
import { ServiceError } from '../errors.ts';
import type { RecentWorld } from './recent.ts';
import { createRehearser } from './rehearser.ts';
import { keptOf, rehearseTurn, type TurnDeps } from './turn.ts';

const START = Date.parse('2026-11-15T08:30:00.000Z');
const known = languages({ local: true });
const postOf = (number: number, text: string) => ({
  platform: 'x' as const,
  payload: { data: { id: String(number), text } },
  source: undefined,
  at: START + number,
});
const partOf = (change: Partial<HistoryPart> = {}): HistoryPart => ({
  events: [],
  unreadable: 1,
  position: '1',
  progress: 0.5,
  ...change,
});

const storm = textsOfRequest({ x: 'storm' }, undefined);

type Item = HistoryPart | Error | (() => void);

interface Staged {
  readonly history?: object;
  readonly texts?: Texts;
  readonly background?: Compute<RecentWorld>['run'];
}

function stage(
  items: readonly Item[],
  stored: object = {},
  { history = { kind: 'file', file: 'f' }, texts = storm, background: run }: Staged = {},
) {
  const clock = fakeClock();
  const stopping = new AbortController();
  const kept: RehearsalStep[] = [];
  const counted: (number | string)[] = [];
  const logged: string[] = [];
  const asked: unknown[] = [];
  const spent: unknown[] = [];
  const answers = { keep: true, first: 'r', confirmed: 0 };
  const request = { texts, history };
  const deps = {
    clock,
    languages: known,
    background: { run },
    onCpu: (...given: readonly unknown[]) => void spent.push(given),
    log: { error: (_: object, message: string) => void logged.push(message) },
    metrics: {
      rehearsed: (events: number) => void counted.push(events),
      rehearsal: (outcome: string) => void counted.push(outcome),
    },
    history: {
      files: {
        async *read(file: string, options: object) {
          asked.push([file, { ...options, signal: undefined }]);
          for (const item of items) {
            if (item instanceof Error) throw item;
            if (typeof item === 'function') item();
            else yield item;
          }
        },
      },
    },
    store: slow({
      openRehearsal: async (id: string) =>
        id === 'r'
          ? {
              rehearsal: { id, accountId: 'a', request: JSON.stringify(request), events: 0, progress: undefined },
              position: undefined,
              state: undefined,
              samples: [],
              ...stored,
            }
          : undefined,
      firstRehearsal: async () => ({ id: answers.first }),
      keepRehearsal: async (_: object, step: RehearsalStep) => {
        kept.push(step);
        return answers.keep;
      },
    }),
  } as unknown as TurnDeps;
  const held = slow({ lease: {}, confirm: async () => void answers.confirmed++ }) as unknown as HeldLease;
  const turn = (id = 'r') => rehearseTurn(deps, held, id, stopping.signal);
  return { clock, stopping, kept, counted, logged, asked, spent, answers, turn };
}

const triesIn = ({ state }: Pick<RehearsalStep, 'state'>) => keptOf(state).tries;

describe('a turn of a rehearsal', () => {
  it('goes to the end, keeps it once, and counts it', async () => {
    const events = [postOf(1, 'a storm'), postOf(2, 'calm')];
    const { turn, kept, counted, asked, answers } = stage([partOf({ events, unreadable: 3 })]);
    await turn();
    expect(asked).toEqual([['f', { position: undefined, platforms: ['x'], signal: undefined }]]);
    expect(kept).toMatchObject([
      {
        id: 'r',
        status: 'done',
        endedAt: new Date(START),
        dueAt: new Date(START),
        events: 5,
        progress: 1,
        error: undefined,
        position: '1',
      },
    ]);
    expect(keptOf(kept[0]!.state)).toMatchObject({ tries: 0, tally: { unreadable: 3, x: { events: 2, matched: 1 } } });
    expect(kept[0]!.samples.map(({ postId }) => postId)).toContain('1');
    expect([counted, answers.confirmed]).toEqual([[5, 'done'], 1]);
  });

  it('on a file charges its account for what was judged', async () => {
    const events = Array.from({ length: 40 }, (_, number) => postOf(number, 'calm '.repeat(50)));
    const { turn, spent } = stage([partOf({ events, unreadable: 0 }), partOf({ unreadable: 40, position: '2' })]);
    await turn();
    // Fifty words, what a post and the clause take beside them, and fifty more for each event.
    expect(spent).toEqual([
      ['a', (40 * (50 + 52)) / 2_000, 'main'],
      ['a', 1, 'main'],
    ]);
  });

  it('does nothing for one that is not there, and counts none that was cancelled meanwhile', async () => {
    const gone = stage([partOf()]);
    await gone.turn('another');
    expect([gone.kept, gone.asked]).toEqual([[], []]);
    const cancelled = stage([partOf()]);
    cancelled.answers.keep = false;
    await cancelled.turn();
    expect([cancelled.kept.length, cancelled.counted]).toEqual([1, [1]]);
  });

  it('keeps its place after 20,000 events, and not before', async () => {
    const kept = async (unreadable: number) => {
      const { turn, kept: steps } = stage([partOf({ unreadable }), partOf({ unreadable: 0, position: '2' })]);
      await turn();
      return steps.map(({ status, position }) => [status, position]);
    };
    expect(await kept(19_999)).toEqual([['done', '2']]);
    expect(await kept(20_000)).toEqual([
      ['running', '1'],
      ['done', '2'],
    ]);
  });

  it('keeps its place after two seconds', async () => {
    const kept = async (milliseconds: number) => {
      let jump = () => {};
      const { turn, clock, kept: steps } = stage([() => jump(), partOf(), partOf({ position: '2' })]);
      jump = () => clock.jump(milliseconds);
      await turn();
      return steps.map(({ status, endedAt }) => [status, endedAt === undefined]);
    };
    expect(await kept(1_999)).toEqual([['done', false]]);
    expect(await kept(2_000)).toEqual([
      ['running', true],
      ['done', false],
    ]);
  });

  it('ends with a checkpoint when another account is due, unless it could only begin anew', async () => {
    const items = (position: string | undefined) => [
      partOf({ unreadable: 20_000, position }),
      partOf({ unreadable: 1, position }),
    ];
    const due = stage(items('1'));
    due.answers.first = 'another';
    await due.turn();
    expect(due.kept.map(({ status }) => status)).toEqual(['running']);
    const anew = stage(items(undefined));
    anew.answers.first = 'another';
    await anew.turn();
    expect(anew.kept.map(({ status }) => status)).toEqual(['running', 'done']);
  });

  it('ends without a word when it was cancelled at a checkpoint', async () => {
    const { turn, kept, counted, answers } = stage([partOf({ unreadable: 20_000 }), partOf()]);
    answers.keep = false;
    await turn();
    expect([kept.map(({ status }) => status), counted]).toEqual([['running'], [20_000]]);
  });

  it('stops with the signal, and is not done then', async () => {
    let stop = () => {};
    const { turn, stopping, kept } = stage([partOf(), () => stop()]);
    stop = () => stopping.abort();
    await turn();
    expect(kept).toEqual([]);
  });
});

describe('a turn on the recent events', () => {
  const RECENT = { history: { kind: 'recent' } };
  const found = { events: 7, tally: { unreadable: 0 }, samples: [] };

  it('is one job beside the main thread, which is never refused, and is kept once', async () => {
    const asked: unknown[] = [];
    const background = async (job: Pick<Job<RecentWorld, never, never>, 'name'>, input: unknown, wish: ComputeWish) => {
      asked.push([job.name, input, wish.accountId, wish.isFurtherPart]);
      wish.onCpu?.(40);
      return found as never;
    };
    const { turn, kept, counted, spent } = stage([], {}, { ...RECENT, background });
    await turn();
    expect(spent).toEqual([['a', 40]]);
    expect(asked).toEqual([['rehearseRecent', { accountId: 'a', texts: storm }, 'a', true]]);
    expect(kept).toMatchObject([{ status: 'done', events: 7, progress: 1 }]);
    expect(counted).toEqual([7, 'done']);
  });

  it('is tried again when its thread was lost, and ends with the reason when it needs too much', async () => {
    const ended = async (error: Error) => {
      const background = async () => {
        throw error;
      };
      const { turn, kept } = stage([], {}, { ...RECENT, background });
      await turn();
      return kept.map(({ status, error: why, dueAt }) => [status, why, dueAt.getTime() - START]);
    };
    expect(await ended(new ServiceError('unavailable', 'Lost.', { retryAfter: 3 }))).toEqual([
      ['running', 'Lost.', 3_000],
    ]);
    expect(await ended(new ServiceError('failed_precondition', 'Too much memory.'))).toEqual([
      ['failed', 'Too much memory.', 0],
    ]);
  });
});

describe('a turn of a rehearsal with many words', () => {
  it('lets everything else run between two slices of it, and stops there when it is told to', async () => {
    const events = Array.from({ length: 300 }, (_, number) => postOf(number, 'calm weather all day'));
    const { turn, kept, stopping } = stage([partOf({ events })]);
    setImmediate(() => stopping.abort());
    await turn();
    expect([kept, stopping.signal.aborted]).toEqual([[], true]);
  });
});

describe('a turn that fails', () => {
  const failed = async (error: Error, stored: object = {}, first: readonly Item[] = []) => {
    const made = stage([...first, error], stored);
    await made.turn();
    return { ...made, step: made.kept.at(-1)! };
  };
  const afterTries = (tries: number) => ({
    state: JSON.stringify({ tally: { unreadable: 0 }, tries }),
    position: undefined,
  });

  it('for a reason of the history ends the rehearsal with it', async () => {
    const { step, counted, logged } = await failed(new HistoryError('The file is gone.'));
    expect(step).toMatchObject({ status: 'failed', error: 'The file is gone.', endedAt: new Date(START) });
    expect([counted, logged]).toEqual([['failed'], []]);
  });

  it('for a text that this version cannot read ends the rehearsal with that', async () => {
    const texts: Texts = { x: { value: '(', flags: {} } };
    const { turn, kept } = stage([partOf()], {}, { texts });
    await turn();
    expect(kept).toMatchObject([
      { status: 'failed', error: 'The rule can no longer be read by this version.', events: 0 },
    ]);
  });

  it('for a source that is away is repeated, each time after twice as long, up to five minutes', async () => {
    const pauses = [];
    for (let tries = 0; tries < 7; tries++) {
      const { step, counted } = await failed(new SourceError('It is down.'), afterTries(tries));
      expect([step.status, step.error, step.endedAt, triesIn(step)]).toEqual([
        'running',
        'It is down.',
        undefined,
        tries + 1,
      ]);
      expect(counted).toEqual(['retrying']);
      pauses.push((step.dueAt.getTime() - START) / 1_000);
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64]);
    const asked = async (retryAfter: number) =>
      ((await failed(new SourceError('busy', { retryAfter }))).step.dueAt.getTime() - START) / 1_000;
    expect([await asked(299), await asked(301), await asked(0)]).toEqual([299, 300, 0]);
  });

  it('the eighth time in a row ends the rehearsal; progress begins the count anew', async () => {
    const { step, logged } = await failed(new SourceError('It is down.'), afterTries(7));
    expect([step.status, step.error, logged]).toEqual(['failed', 'It is down.', ['a rehearsal failed']]);
    const progress = await failed(new SourceError('It is down.'), afterTries(7), [partOf()]);
    expect([progress.step.status, triesIn(progress.step), progress.step.position]).toEqual(['running', 1, '1']);
  });

  it('for anything else ends it without the words of the error', async () => {
    const { step, logged } = await failed(new Error('secret path'));
    expect([step.status, step.error, logged]).toEqual([
      'failed',
      'The history cannot be read.',
      ['a rehearsal failed'],
    ]);
  });

  it('with the store, or after the signal, keeps nothing', async () => {
    const away = new StoreError('away', 'The store is away.');
    const { turn, kept } = stage([away]);
    await expect(turn()).rejects.toBe(away);
    expect(kept).toEqual([]);
    const left = new Error('left');
    const stopped = stage([left]);
    stopped.stopping.abort();
    await expect(stopped.turn()).rejects.toBe(left);
    expect(stopped.kept).toEqual([]);
  });
});

describe('a rehearsal that goes on', () => {
  it('counts from what was kept where it has a place, and anew where it has none', async () => {
    const before = createRehearser({ texts: textsOfRequest({ x: 'storm' }, undefined), languages: known });
    await before.take(postOf(1, 'a storm'));
    before.passUnreadable(4);
    const state = JSON.stringify({ tally: before.state(false), tries: 2 });
    const goingOn = stage([partOf()], { state, position: '9', samples: before.samples() });
    await goingOn.turn();
    expect(goingOn.asked).toMatchObject([['f', { position: '9' }]]);
    expect(goingOn.kept[0]).toMatchObject({ events: 6 });
    expect(goingOn.kept[0]!.samples).toEqual(before.samples());
    const anew = stage([partOf()], { state, position: undefined, samples: before.samples() });
    await anew.turn();
    expect(anew.kept[0]).toMatchObject({ events: 1, samples: [] });
  });

  it('keeps the samples of each platform apart', async () => {
    const texts = textsOfRequest({ x: 'storm', firehose: 'title:storm' }, undefined);
    const before = createRehearser({ texts, languages: known });
    await before.take(postOf(1, 'a storm'));
    const page = { id: 'p', url: 'https://a.example/', title: 'storm' };
    await before.take({ platform: 'firehose', payload: page, source: undefined, at: START });
    const samples = before.samples();
    expect(new Set(samples.map(({ platform }) => platform))).toEqual(new Set(['x', 'firehose']));
    const after = createRehearser({
      texts,
      languages: known,
      kept: { state: before.state(false), samples },
    });
    expect([after.samples(), after.events]).toEqual([samples, 2]);
    const one = createRehearser({
      texts: textsOfRequest({ x: 'storm' }, undefined),
      languages: known,
      kept: { state: before.state(false), samples },
    });
    expect(one.samples().every(({ platform }) => platform === 'x')).toBe(true);
  });

  it('says that a match took more work than an event that fails, by its highlights', async () => {
    const made = createRehearser({ texts: textsOfRequest({ x: 'storm sea' }, undefined), languages: known });
    const several = await made.take(postOf(1, 'a calm day here'));
    const matched = await made.take(postOf(2, 'a storm at sea'));
    expect(several).toBeGreaterThan(4);
    expect(matched).toBeGreaterThan(several);
    expect(await made.take({ ...postOf(3, ''), platform: 'firehose' })).toBe(0);
  });
});
