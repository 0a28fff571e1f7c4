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
  asked: [],
  event: {
    postId: String(position),
    accountId: undefined,
    payload: '{}',
    matches: [],
    told: comparedEvent('x', { text, links: [], posts: [String(position)] }),
  },
});

it('forgets what it decided where the next commit finds that it was not stored', async () => {
  const database = connectPostgres(await server!.newDatabase());
  const teller = storyTeller();
  const tell = (position: number, text: string, mark: number) =>
    database.transaction((db) => teller.tell(db, 'x', [match(position, text)], { mark, forced: () => undefined }));
  // Nobody has heard yet whether these are stored: the mark in the database says so.
  const first = await tell(100, FIRE[0]!, 0);
  expect((await tell(200, FIRE[1]!, first.mark)).stories).toEqual([100]);
  const lost = await tell(300, FIRE[2]!, 0);
  expect(lost.stories).toEqual([300]);
  expect((await tell(400, FIRE[2]!, first.mark)).stories).toEqual([400]);
  await database.close();
});
