/** A post is erased: its reposts, quotes and edits leave every place where their text could be read. */
import { describe, expect, it } from 'vitest';
import { exportMatches } from '../src/service/matches/export-matches.ts';
import { startStream } from '../src/service/matches/open-stream.ts';
import { openService } from './stages/service.ts';

const SECRET = 'storm over the harbour of Anna Example tonight';
const RULE = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };

interface Post {
  readonly id: string;
  readonly text?: string;
  readonly [field: string]: unknown;
}
const line = ({ includes, ...data }: Post): string =>
  `${JSON.stringify({ data: { text: 'storm elsewhere', ...data }, ...(includes ? { includes } : {}) })}\n`;

const ORIGINAL = { id: '1', text: SECRET };
const CARRIERS: readonly Post[] = [
  { id: '2', text: `RT @anna: ${SECRET}`, referenced_tweets: [{ type: 'retweeted', id: '1' }] },
  {
    id: '3',
    text: 'what a storm',
    referenced_tweets: [{ type: 'quoted', id: '1' }],
    includes: { tweets: [{ id: '1', text: SECRET }] },
  },
  { id: '4', text: `${SECRET}!`, edit_history_tweet_ids: ['1', '4'] },
];

async function stage() {
  const test = await openService();
  const alice = await test.caller('alice');
  const { rule_id } = await test.call(alice, 'createRule', RULE);
  const push = (posts: readonly Post[]) =>
    test.call(alice, 'pushEvents', { platform: 'x', lines: posts.map(line).join('') });
  const erase = (more: object = {}, by = alice) =>
    test.call(by, 'deleteMatches', { platform: 'x', platform_post_id: '1', ...more });
  /** Everything that the account can read, as one text. */
  const everything = async () => {
    const preview = await test.call(alice, 'previewRule', { platforms: ['x'], overrides: { x: 'storm' } });
    const stories = await test.call(alice, 'listStories', {});
    return JSON.stringify([await test.everyMatch(alice), preview, stories]);
  };
  return Object.assign(test, { alice, rule_id, push, erase, everything });
}

describe('an erased post', () => {
  it('leaves matches, previews and stories with all that carries it, and the log says how many by whom', async () => {
    await using test = await stage();
    await test.push([ORIGINAL, ...CARRIERS, { id: '5', text: 'storm over the harbour tonight, says nobody' }]);
    expect(await test.everything()).toContain('Anna');
    const { deleted, erasure_id } = await test.erase();
    expect(deleted).toBe(4);
    expect(await test.everything()).not.toContain('Anna');
    expect((await test.everyMatch(test.alice)).map((match) => match.platform_post_id)).toEqual(['5']);
    const { stories } = await test.call(test.alice, 'listStories', {});
    expect(stories.map(({ title }) => title)).toEqual(['storm over the harbour tonight, says nobody']);
    const { changes } = await test.call(test.alice, 'listChanges', { kind: 'post' });
    expect(changes).toMatchObject([
      {
        by: { kind: 'key', key_id: test.alice.key.id },
        what: 'post.erased',
        id: erasure_id,
        after: { platform: 'x', scope: 'account', matches: 4 },
      },
    ]);
    expect(JSON.stringify(changes)).not.toContain('harbour');
  });

  it('does not come back with what carries it', async () => {
    await using test = await stage();
    await test.erase();
    expect(await test.push(CARRIERS)).toMatchObject({ accepted: 3, matches: 0 });
    expect(await test.everything()).not.toContain('Anna');
  });

  it('is noted for the operator with all, and for each account with its own', async () => {
    await using test = await stage();
    await test.push([ORIGINAL, ...CARRIERS]);
    const operator = await test.caller('default');
    const { deleted, erasure_id } = await test.erase({ all_accounts: true }, operator);
    expect(deleted).toBe(4);
    const changesOf = async (caller: typeof operator) =>
      (await test.call(caller, 'listChanges', { id: erasure_id })).changes.map(({ by, after }) => [by.kind, after]);
    const scope = { platform: 'x', scope: 'all_accounts', matches: 4 };
    expect(await changesOf(operator)).toEqual([['key', { ...scope, accounts: 1, own_matches: 0, same_text: false }]]);
    expect(await changesOf(test.alice)).toEqual([['operator', scope]]);
  });

  it('is not in the pages of an export that is under way', async () => {
    await using test = await stage();
    await test.push([ORIGINAL, ...CARRIERS, { id: '9' }]);
    const bounds = { pageRows: 1, pageBytes: 1e6, bytes: 1e6 };
    const { signal } = new AbortController();
    const file = await exportMatches(test.service.context, test.alice, { format: 'ndjson' }, signal, bounds);
    let text = '';
    for await (const part of file.parts) {
      if (text === '') await test.erase();
      text += Buffer.from(part).toString();
    }
    expect([text.includes('storm elsewhere'), text.includes('Anna')]).toEqual([true, false]);
  });

  it('is not told to a stream that goes on from before', async () => {
    await using test = await stage();
    const { context } = test.service;
    const read: string[] = [];
    const outlet = {
      write: (text: string | Uint8Array) => read.push(Buffer.from(text).toString()) > 0,
      queued: 0,
      end: () => {},
      destroy: () => {},
    };
    const before = await startStream(context, test.alice, {}, undefined);
    const first = context.live.subscribe({ ...before, outlet: { ...outlet, write: () => true } });
    await test.push([ORIGINAL, ...CARRIERS, { id: '9' }]);
    await test.erase();
    context.live.subscribe({ ...before, outlet });
    await expect.poll(() => read.join('')).toContain('storm elsewhere');
    expect(read.join('')).not.toContain('Anna');
    first.closed();
  });
});
