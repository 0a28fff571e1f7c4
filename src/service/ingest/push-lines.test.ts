import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openService, type TestService } from '../../../test/stages/service.ts';
import { turnsDuring } from '../../../test/stages/turns.ts';

/** 120 posts and, in between, what is none: lines that are blank, damaged, or to be read in TypeScript. */
const LINES = Array.from({ length: 120 }, (_, number) => {
  if (number % 17 === 0) return '';
  if (number % 19 === 0) return '{"data":';
  const text = ['a storm', 'rain', 'storm and rain', 'sun'][number % 4]!;
  const data = { id: String(number), text: `${text} ${'#word '.repeat(number)}` };
  return JSON.stringify(
    number % 13 === 0 ? { data: { ...data, note_tweet: { text: 'a storm' } } } : { data, extra: 1 },
  );
}).join('\n');

const RULES = ['storm', 'rain -sun', '"a storm"', 'storm has:hashtags'];

async function outcomeOf(test: TestService) {
  const alice = await test.caller('alice');
  for (const value of RULES) {
    await test.call(alice, 'createRule', { name: value, intent: '', platforms: ['x'], overrides: { x: value } });
  }
  await untilThreadsMatch(test);
  const pushed = await test.call(alice, 'pushEvents', { platform: 'x', lines: LINES });
  const matches = await test.everyMatch(alice);
  const stored = matches.map(({ rule_name, platform_post_id, highlights }) => ({
    rule_name,
    platform_post_id,
    highlights,
  }));
  return { pushed, stored };
}

/** Threads start with the first lines that they are asked for; those are asked back. */
async function untilThreadsMatch({ service: { context } }: TestService): Promise<void> {
  const lines = Array.from({ length: 16 }, () => '{"data":{"id":"1","text":"x"}}');
  const matchAhead = () => context.matching.ahead.match('x', lines, undefined, () => expect.unreachable());
  for (let ahead = matchAhead(); ahead !== undefined; ahead = matchAhead()) {
    const [first] = await ahead;
    if (first !== undefined) return;
    await setImmediate();
  }
}

describe('a push of bytes', () => {
  it('refuses a line that is not UTF-8, and no other', async () => {
    await using test = await openService();
    const post = (id: string, text: string) => JSON.stringify({ data: { id, text } });
    const broken = Buffer.from(post('2', 'caf\xe9'), 'latin1');
    const bytes = Buffer.concat([Buffer.from(`${post('1', '\ufffd')}\n`), broken, Buffer.from(`\n${post('3', 'é')}`)]);
    const pushed = await test.service.context.ingest.push('x', bytes, undefined);
    expect([pushed.accepted, pushed.rejected.map(({ line }) => line)]).toEqual([2, [2]]);
  });

  it('lets everything else run while it looks for broken lines', async () => {
    await using test = await openService();
    const bytes = Buffer.from('\xff\n'.repeat(20_000), 'latin1');
    expect(await turnsDuring(test.service.context.ingest.push('x', bytes, undefined))).toBeGreaterThan(100);
  });
});

describe('a push that threads match', () => {
  it('stores and refuses what it would without them, in the same order', async () => {
    await using plain = await openService();
    await using threaded = await openService({ matchThreads: 2 });
    const [expected, actual] = [await outcomeOf(plain), await outcomeOf(threaded)];
    expect(threaded.service.context.matching.ahead.threads).toBe(2);
    expect(expected.stored.length).toBeGreaterThan(100);
    expect(expected.pushed.rejected.length).toBe(6);
    expect(actual.pushed).toEqual(expected.pushed);
    expect(actual.stored).toEqual(expected.stored);
  });
});
