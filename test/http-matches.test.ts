/** List Matches over HTTP: the rendered answer is kept for those who ask again, and nobody may be able to tell. */
import { describe, expect, it } from 'vitest';
import { type App, OPERATOR_KEY, startApp } from './stages/http-app.ts';

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

const send = (app: App, key: string, url: string, payload: object | string, headers = {}) =>
  app.http.inject({ method: 'POST', url, headers: { ...bearer(key), ...headers }, payload });

const list = (app: App, key: string, payload: object) => send(app, key, '/matches', payload);

const push = (app: App, key: string, id: string, text: string) =>
  send(app, key, '/events?platform=x', JSON.stringify({ data: { id, text } }), {
    'content-type': 'application/x-ndjson',
  });

const watchLava = (app: App, key: string) =>
  send(app, key, '/api.CreateRule', { name: 'Lava', intent: '', platforms: ['x'], overrides: { x: 'lava' } });

/** How often the store was asked for a page. */
async function countingApp(): Promise<{ app: App; reads: () => number }> {
  let reads = 0;
  const app = await startApp({
    store: (real) => ({
      ...real,
      matches(query) {
        reads++;
        return real.matches(query);
      },
    }),
  });
  return { app, reads: () => reads };
}

describe('a page of matches', () => {
  it('is read once from the store for those who send the same request again', async () => {
    const { app, reads } = await countingApp();
    await using _ = app;
    await watchLava(app, OPERATOR_KEY);
    await push(app, OPERATOR_KEY, '1', 'lava');
    const first = await list(app, OPERATOR_KEY, { limit: 5 });
    const again = await list(app, OPERATOR_KEY, { limit: 5 });
    expect([again.body, reads()]).toEqual([first.body, 1]);
    app.clock.forward(1_000);
    await list(app, OPERATOR_KEY, { limit: 5 });
    expect(reads()).toBe(2);
  });

  it('is never answered to another account, nor to another question', async () => {
    const { app } = await countingApp();
    await using _ = app;
    const other = await app.newAccount('other');
    await watchLava(app, OPERATOR_KEY);
    await watchLava(app, other);
    await push(app, OPERATOR_KEY, '1', 'lava for the operator');
    await push(app, other, '2', 'lava for the other');
    const texts = async (key: string, input: object) =>
      (await list(app, key, input))
        .json<{ matches: { payload: { data: { text: string } } }[] }>()
        .matches.map(({ payload }) => payload.data.text);
    expect(await texts(OPERATOR_KEY, {})).toEqual(['lava for the operator']);
    expect(await texts(other, {})).toEqual(['lava for the other']);
    expect(await texts(OPERATOR_KEY, {})).toEqual(['lava for the operator']);
    expect(await texts(OPERATOR_KEY, { text: 'nothing' })).toEqual([]);
  });

  it('is the same text as the operation’s own answer', async () => {
    const { app } = await countingApp();
    await using _ = app;
    await watchLava(app, OPERATOR_KEY);
    for (let id = 1; id <= 60; id++) await push(app, OPERATOR_KEY, `${id}`, `lava ${id} 🌋`);
    const answer = await list(app, OPERATOR_KEY, { limit: 50 });
    expect(answer.json()).toEqual({
      matches: expect.any(Array),
      next_cursor: expect.any(String),
      latest_cursor: expect.any(String),
      coverage: expect.any(Object),
    });
    expect(answer.json<{ matches: unknown[] }>().matches).toHaveLength(50);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it('has what is new, and is refused to a key that is revoked, at once', async () => {
    const { app } = await countingApp();
    await using _ = app;
    await watchLava(app, OPERATOR_KEY);
    const made = await send(app, OPERATOR_KEY, '/api.CreateKey', { name: 'poller', scope: 'read' });
    const { key, id } = made.json<{ key: string; id: string }>();
    const poll = () => list(app, key, { limit: 1 });
    expect((await poll()).body).toBe((await poll()).body);
    await push(app, OPERATOR_KEY, '1000', 'lava anew');
    expect((await poll()).body).toContain('lava anew');
    await send(app, OPERATOR_KEY, '/api.RevokeKey', { key_id: id });
    expect((await poll()).statusCode).toBe(401);
  });
});

describe('erasing', () => {
  // No event with such an id is taken in, so there is nothing to erase: the request is wrong, as with any half of a pair.
  it('refuses an id with half a surrogate pair, and answers an unknown id with nothing deleted', async () => {
    await using app = await startApp();
    const erase = (id: string) =>
      send(app, OPERATOR_KEY, '/api.DeleteMatches', `{"platform":"x","platform_post_id":"${id}"}`, {
        'content-type': 'application/json',
      });
    const refused = await erase('\\ud800');
    expect([refused.statusCode, refused.json<{ code: string }>().code]).toEqual([400, 'invalid_argument']);
    expect((await erase('unknown')).json()).toMatchObject({ deleted: 0 });
    expect((await push(app, OPERATOR_KEY, '\ud800', 'lava')).json()).toMatchObject({ accepted: 0 });
  });
});
