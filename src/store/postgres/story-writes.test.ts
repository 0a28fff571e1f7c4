import { afterAll, beforeAll, expect, it } from 'vitest';
import { FIRE } from '../../../test/conformance/store/stories.ts';
import { startPostgresWithTables, type TestPostgres } from '../../../test/stages/postgres.ts';
import { comparedEvent } from '../../signal/story-text.ts';
import { connectPostgres } from './connection.ts';
import { storyTeller } from './story-writes.ts';

let server: TestPostgres | undefined;
beforeAll(async () => {
  server = await startPostgresWithTables();
});
afterAll(() => server?.[Symbol.asyncDispose]());

const match = (position: number, text: string) => ({
  position,
  account: 1,
  ruleNumber: 1,
  source: '',
  asked: 0,
  event: {
    postId: String(position),
    accountId: undefined,
    payload: '{}',
    matches: [],
    told: comparedEvent('x', { text, links: [], posts: [String(position)] }),
  },
});

it('reads what others have logged, and forgets what it decided and was not stored', async () => {
  const database = connectPostgres(await server!.newDatabase());
  const rule = { id: 'rule_1', account: 1 };
  const tell = async (teller: ReturnType<typeof storyTeller>, position: number, text: string) => {
    await teller.ask(database, [rule.id]).read([rule]);
    return teller.tell('x', [match(position, text)], () => undefined);
  };
  const keep = ({ logs: [log] }: Awaited<ReturnType<typeof tell>>) =>
    database.run('INSERT INTO story_log (account, position, entries) VALUES ($1, $2, $3)', [
      log!.account,
      log!.position,
      log!.entries,
    ]);
  const [one, other] = [storyTeller(), storyTeller()];
  const first = await tell(one, 100, FIRE[0]!);
  expect(first.stories).toEqual([100]);
  await keep(first);
  const second = await tell(other, 200, FIRE[1]!);
  expect(second.stories).toEqual([100]);
  // This one is not stored: the next decision is as if it had never been.
  expect((await tell(one, 300, 'Council votes on new bicycle lanes tonight')).stories).toEqual([300]);
  one.forget([1]);
  expect((await tell(one, 400, 'Bicycle lanes: council votes tonight')).stories).toEqual([400]);
  // This one came to stand later than it was told: its story has the later number in the book, too.
  (await tell(other, 1_000, 'Council votes on new bicycle lanes tonight')).stored(4_096);
  expect((await tell(other, 9_000, 'Bicycle lanes: council votes tonight')).stories).toEqual([5_096]);
  await database.close();
});
