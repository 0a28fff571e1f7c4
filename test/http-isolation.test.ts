/** Two accounts over HTTP: what belongs to one is, for the other, exactly what never was. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type App, startApp } from './stages/http-app.ts';

interface Tenant {
  readonly key: string;
  readonly secret: string;
  readonly ruleId: string;
  readonly matchId: string;
  readonly keyId: string;
  readonly postId: string;
  readonly cursor: string;
}

const post = (app: App, key: string, url: string, payload: object) =>
  app.http.inject({ method: 'POST', url, headers: { authorization: `Bearer ${key}` }, payload });

async function settle(app: App, name: string): Promise<Tenant> {
  const key = await app.newAccount(name);
  const secret = `secretof${name}`;
  const created = await post(app, key, '/api.CreateRule', {
    name: secret,
    intent: secret,
    platforms: ['x'],
    overrides: { x: `shared OR ${secret}` },
  });
  const postId = name === 'ann' ? '1001' : '1002';
  await app.http.inject({
    method: 'POST',
    url: '/events?platform=x',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
    payload: [postId, `${postId}0`].map((id) => JSON.stringify({ data: { id, text: `shared ${secret}` } })).join('\n'),
  });
  const page = (await post(app, key, '/matches', { limit: 1 })).json<{
    matches: { id: string }[];
    next_cursor: string;
  }>();
  const made = (await post(app, key, '/api.CreateKey', { name: secret, scope: 'read' })).json<{ id: string }>();
  return {
    key,
    secret,
    ruleId: created.json<{ rule_id: string }>().rule_id,
    matchId: page.matches[0]!.id,
    keyId: made.id,
    postId,
    cursor: page.next_cursor,
  };
}

/** Every operation that takes an id, or shows what an account has. `of` says whose things are named. */
const CALLS: Readonly<Record<string, (of: Tenant) => { method?: 'GET'; url: string; payload?: object }>> = {
  getRule: (of) => ({ method: 'GET', url: `/api.GetRule?rule_id=${of.ruleId}` }),
  deleteRule: (of) => ({ url: '/api.DeleteRule', payload: { rule_id: of.ruleId } }),
  updateRule: (of) => ({ url: '/api.UpdateRule', payload: { rule_id: of.ruleId, name: 'taken' } }),
  pauseRule: (of) => ({ url: '/api.UpdateRule', payload: { rule_id: of.ruleId, paused: true } }),
  listMatches: (of) => ({ url: '/matches', payload: { rule_id: of.ruleId } }),
  matchesFrom: (of) => ({ url: '/matches', payload: { cursor: of.cursor } }),
  matchCounts: (of) => ({ url: '/api.MatchCounts', payload: { rule_id: of.ruleId } }),
  explainMatch: (of) => ({ url: '/api.ExplainMatch', payload: { match_id: of.matchId } }),
  draftRule: (of) => ({ url: '/api.DraftRule', payload: { rule_id: of.ruleId } }),
  suggestChanges: (of) => ({ url: '/api.SuggestChanges', payload: { rule_id: of.ruleId } }),
  rateMatch: (of) => ({ url: '/api.RateMatch', payload: { match_id: of.matchId, rating: 'irrelevant' } }),
  deleteMatches: (of) => ({ url: '/api.DeleteMatches', payload: { platform: 'x', platform_post_id: of.postId } }),
  revokeKey: (of) => ({ url: '/api.RevokeKey', payload: { key_id: of.keyId } }),
  listRules: () => ({ method: 'GET', url: '/api.ListRules' }),
  listKeys: () => ({ method: 'GET', url: '/api.ListKeys' }),
  allMatches: () => ({ url: '/matches', payload: {} }),
  status: () => ({ method: 'GET', url: '/api.Status' }),
  preview: () => ({ url: '/api.PreviewRule', payload: { platforms: ['x'], overrides: { x: 'shared' } } }),
};

const nobody = (of: Tenant): Tenant => ({
  ...of,
  ruleId: `rule_${'0'.repeat(of.ruleId.length - 5)}`,
  matchId: `match_${'0'.repeat(of.matchId.length - 6)}`,
  keyId: `key_${'0'.repeat(of.keyId.length - 4)}`,
  postId: '999999',
  cursor: 'A'.repeat(of.cursor.length),
});

describe('tenants', () => {
  it('see and touch nothing of each other, by any operation', async () => {
    await using app = await startApp();
    const [ann, bob] = [await settle(app, 'ann'), await settle(app, 'bob')];
    const ask = (by: Tenant, name: string, of: Tenant) =>
      app.http.inject({ method: 'POST', headers: { authorization: `Bearer ${by.key}` }, ...CALLS[name]!(of) });
    const before =
      (await ask(ann, 'listRules', ann)).body +
      (await ask(ann, 'allMatches', ann)).json<{ matches: unknown[] }>().matches.length;

    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...Object.keys(CALLS)), async (name) => {
        const foreign = await ask(bob, name, ann);
        const unknown = await ask(bob, name, nobody(ann));
        expect(foreign.body).not.toContain(ann.secret);
        expect([foreign.statusCode, stable(foreign.body)]).toEqual([unknown.statusCode, stable(unknown.body)]);
      }),
      { numRuns: 200 },
    );

    const after =
      (await ask(ann, 'listRules', ann)).body +
      (await ask(ann, 'allMatches', ann)).json<{ matches: unknown[] }>().matches.length;
    expect(after).toBe(before);
  });
});

/** Sealed cursors differ from answer to answer. */
const stable = (body: string): string => body.replaceAll(/"(?:(?:latest|next)_cursor|erasure_id)":"[^"]+"/g, '');
