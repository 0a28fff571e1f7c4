/** List Stories over HTTP, and lists of matches by story and by event. */
import { expect, it } from 'vitest';
import { FIRE, VOTE } from './conformance/store/stories.ts';
import { type App, OPERATOR_KEY, startApp } from './stages/http-app.ts';

interface Listed {
  readonly id: string;
  readonly event_id: string;
  readonly story_id: string;
  readonly story_first: boolean;
  readonly platform_post_id: string;
}

interface Stories {
  readonly stories: { id: string; title: string; size: number; first_match: Listed; rule_ids: string[] }[];
  readonly next_cursor?: string;
}

const post = (app: App, url: string, payload: object) =>
  app.http.inject({ method: 'POST', url, headers: { authorization: `Bearer ${OPERATOR_KEY}` }, payload });

const push = (app: App, platform: string, events: readonly object[]) =>
  app.http.inject({
    method: 'POST',
    url: `/events?platform=${platform}`,
    headers: { authorization: `Bearer ${OPERATOR_KEY}`, 'content-type': 'application/x-ndjson' },
    payload: events.map((event) => JSON.stringify(event)).join('\n'),
  });

async function toldApp(): Promise<{ app: App; rule_id: string }> {
  const app = await startApp();
  const rule = {
    name: 'News',
    intent: '',
    platforms: ['x', 'firehose'],
    overrides: { x: 'fire OR council', firehose: 'fire' },
  };
  const { rule_id } = (await post(app, '/api.CreateRule', rule)).json<{ rule_id: string }>();
  const texts = [FIRE[0], VOTE[0], FIRE[1], VOTE[1]];
  await push(
    app,
    'x',
    texts.map((text, index) => ({ data: { id: String(index + 1), text } })),
  );
  await push(app, 'firehose', [
    { id: 'p1', url: 'https://paper.example/2026/harbour-fire', title: FIRE[2], added: FIRE[2] },
  ]);
  return { app, rule_id };
}

it('tells each story once, who had it first, and how many followed', async () => {
  const { app, rule_id } = await toldApp();
  await using _ = app;
  const first = (await post(app, '/stories', { limit: 1 })).json<Stories>();
  expect(first.stories).toMatchObject([
    {
      title: FIRE[0],
      size: 3,
      platforms: ['firehose', 'x'],
      sources: ['push'],
      rule_ids: [rule_id],
      relevance: null,
      first_match: { platform_post_id: '1', story_first: true },
    },
  ]);
  const [fire] = first.stories;
  expect(fire!.first_match.story_id).toBe(fire!.id);
  const second = (await post(app, '/stories', { limit: 1, cursor: first.next_cursor })).json<Stories>();
  expect(second.stories).toMatchObject([{ title: VOTE[0], size: 2 }]);
  expect(second.next_cursor).toBeUndefined();
  const pages = (await post(app, '/stories', { platform: 'firehose', rule_id })).json<Stories>();
  expect(pages.stories.map(({ id }) => id)).toEqual([fire!.id]);
  const { matches } = (await post(app, '/matches', { story_id: fire!.id })).json<{ matches: Listed[] }>();
  expect(matches.map(({ story_id, story_first }) => [story_id, story_first])).toEqual([
    [fire!.id, false],
    [fire!.id, false],
    [fire!.id, true],
  ]);
  const explained = await Promise.all(
    matches.map(async ({ id }) =>
      (await post(app, '/api.ExplainMatch', { match_id: id })).json<{
        story_joined_by?: string;
        story_words?: string[];
      }>(),
    ),
  );
  expect(explained.map(({ story_joined_by }) => story_joined_by)).toEqual(['words', 'words', undefined]);
  expect(explained[1]!.story_words).toEqual(['northline', 'harbour', 'warehouse', 'fire']);
  const { event_id } = fire!.first_match;
  const ofEvent = (await post(app, '/matches', { event_id })).json<{ matches: Listed[] }>();
  expect(ofEvent.matches.map(({ id }) => id)).toEqual([fire!.first_match.id]);
  expect((await post(app, '/matches', { event_id: fire!.id })).json<{ matches: Listed[] }>().matches).toEqual([]);
});

it('takes no cursor of another list, and knows no rule that is not there', async () => {
  const { app } = await toldApp();
  await using _ = app;
  const { next_cursor } = (await post(app, '/matches', { limit: 1 })).json<{ next_cursor: string }>();
  expect((await post(app, '/stories', { cursor: next_cursor })).statusCode).toBe(400);
  expect((await post(app, '/stories', { rule_id: 'rule_none' })).statusCode).toBe(404);
  expect((await post(app, '/stories', { limit: 201 })).statusCode).toBe(400);
});
