import { describe, expect, it } from 'vitest';
import { openService } from '../../../test/stages/service.ts';

const outage = 'Northline: outage in 3 regions, 40,000 customers offline since 9:15 https://status.example/1';
const job = 'Northline hiring: we love our engineers, join us lol';

async function stage(intent = '') {
  const test = await openService();
  const alice = await test.caller('alice');
  const { rule_id } = await test.call(alice, 'createRule', {
    name: 'Northline',
    intent,
    platforms: ['x'],
    overrides: { x: 'northline' },
  });
  for (let at = 0; at < 6; at++) await test.post(alice, at % 2 === 0 ? `${outage}${at}` : `${job} ${at}`);
  const list = async (input: object = {}) => (await test.call(alice, 'listMatches', input)).matches;
  const rate = (match_id: string, rating: 'relevant' | 'irrelevant' | null) =>
    test.call(alice, 'rateMatch', { match_id, rating });
  return Object.assign(test, { alice, rule_id, list, rate });
}

describe('rate match', () => {
  it('is shown with the match, can be changed and taken back, and lists can ask for it', async () => {
    await using test = await stage();
    const [first, second] = await test.list();
    await test.rate(first!.id, 'irrelevant');
    await test.rate(first!.id, 'irrelevant');
    await test.rate(second!.id, 'relevant');
    expect((await test.list()).map(({ rating }) => rating).slice(0, 3)).toEqual(['irrelevant', 'relevant', null]);
    expect((await test.list({ rating: 'relevant' })).map(({ id }) => id)).toEqual([second!.id]);
    await test.rate(first!.id, null);
    expect((await test.list({ rating: 'irrelevant' })).map(({ id }) => id)).toEqual([]);
  });

  it('refuses a match that is unknown, of another account, or of a deleted rule, with one answer', async () => {
    await using test = await stage();
    const [match] = await test.list();
    const bob = await test.caller('bob');
    const refused = { code: 'not_found', message: 'There is no such match.' };
    const rating = { match_id: match!.id, rating: 'relevant' };
    await expect(test.call(bob, 'rateMatch', rating)).rejects.toMatchObject(refused);
    await expect(test.rate('match_unknown', 'relevant')).rejects.toMatchObject(refused);
    await test.call(test.alice, 'deleteRule', { rule_id: test.rule_id });
    await expect(test.rate(match!.id, 'relevant')).rejects.toMatchObject(refused);
    const wrong = test.call(test.alice, 'rateMatch', { match_id: match!.id, rating: 'fine' });
    await expect(wrong).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('needs a key that may change rules', async () => {
    await using test = await stage();
    const [match] = await test.list();
    const reader = { ...test.alice, key: { ...test.alice.key, scope: 'read' as const } };
    const rating = { match_id: match!.id, rating: 'relevant' };
    await expect(test.call(reader, 'rateMatch', rating)).rejects.toMatchObject({ code: 'permission_denied' });
  });
});

describe('relevance', () => {
  it('is null until the rule has an intent or a rating, and is a number from then on', async () => {
    await using test = await stage();
    expect((await test.list()).every(({ relevance }) => relevance === null)).toBe(true);
    await test.call(test.alice, 'updateRule', { rule_id: test.rule_id, intent: 'outages of Northline' });
    expect((await test.list()).every(({ relevance }) => typeof relevance === 'number')).toBe(true);
    await test.call(test.alice, 'updateRule', { rule_id: test.rule_id, intent: '' });
    expect((await test.list()).every(({ relevance }) => relevance === null)).toBe(true);
    const [match] = await test.list();
    await test.rate(match!.id, 'relevant');
    expect((await test.list()).every(({ relevance }) => typeof relevance === 'number')).toBe(true);
  });

  it('follows the ratings with the next list, and survives a new version of the rule', async () => {
    await using test = await stage('outages of Northline');
    const before = await test.list();
    for (const { id, payload } of before)
      await test.rate(id, JSON.stringify(payload).includes('hiring') ? 'irrelevant' : 'relevant');
    const scores = async () => (await test.list()).map(({ relevance }) => relevance!);
    const after = await scores();
    const isUnwanted = before.map(({ payload }) => JSON.stringify(payload).includes('hiring'));
    expect(before.map(({ relevance }, at) => after[at]! < relevance!)).toEqual(isUnwanted);
    expect(before.map(({ relevance }, at) => after[at]! > relevance!)).toEqual(isUnwanted.map((is) => !is));
    await test.call(test.alice, 'updateRule', { rule_id: test.rule_id, overrides: { x: 'northline lang:en' } });
    expect(await scores()).toEqual(after);
  });

  it('forgets what an erased post had taught', async () => {
    await using test = await stage('outages of Northline');
    const before = await test.list();
    await test.rate(before[0]!.id, 'irrelevant');
    await test.call(test.alice, 'deleteMatches', { platform: 'x', platform_post_id: before[0]!.platform_post_id });
    expect((await test.list()).map(({ relevance }) => relevance)).toEqual(
      before.slice(1).map(({ relevance }) => relevance),
    );
  });

  it('names the words that made it, where a match is explained', async () => {
    await using test = await stage();
    for (const { id, payload } of await test.list())
      await test.rate(id, JSON.stringify(payload).includes('hiring') ? 'irrelevant' : 'relevant');
    const [match] = await test.list();
    const explained = await test.call(test.alice, 'explainMatch', { match_id: match!.id });
    const { relevance, relevance_words } = explained;
    expect(explained.relevance_basis).toMatch(/^by \d+ ratings$/);
    expect(explained.relevance_reason).toMatch(/for it: |against it: /);
    expect(match).toMatchObject({
      relevance_basis: explained.relevance_basis,
      relevance_reason: explained.relevance_reason,
    });
    expect(relevance).toBe(match!.relevance);
    expect(relevance_words.map(({ word }) => word)).toContain('hiring');
    expect(relevance_words.every(({ weight }) => weight < 0.5)).toBe(true);
  });
});
