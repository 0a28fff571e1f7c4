import { describe, expect, it } from 'vitest';
import { openService } from '../../../test/stages/service.ts';

async function stage(overrides: object = { x: 'northline (outage OR down) -hiring' }) {
  const test = await openService();
  const alice = await test.caller('alice');
  const rule = { name: 'n', intent: 'i', platforms: Object.keys(overrides), overrides };
  const { rule_id } = await test.call(alice, 'createRule', rule);
  const ask = (wish: object) => test.call(alice, 'explainEvent', { rule_id, ...wish });
  return Object.assign(test, { alice, rule_id, ask });
}

const post = (text: string, more: object = {}) => ({ data: { id: '77', text, ...more } });

describe('the smallest change', () => {
  it.each([
    ['another form of a word', 'northline outage', 'Northline outages all day', 'northline (outage OR outages)'],
    ['words of a phrase apart', '"northline outage"', 'An outage at Northline', 'northline outage'],
    ['one exclusion less', 'northline -hiring -sale', 'Northline is hiring', 'northline -sale'],
    ['one of several excluded', 'northline -(hiring OR sale)', 'Northline is hiring', 'northline -sale'],
    ['a clause left out', 'northline is:retweet', 'Northline is down', 'northline'],
    ['the language that is there', 'northline lang:en', 'Northline', 'northline (lang:en OR lang:es)'],
    [
      'a form inside a group',
      'northline (outage OR (power cut))',
      'Northline power cuts',
      'northline (outage OR power (cut OR cuts))',
    ],
  ])('is %s', async (_, x, text, value) => {
    await using test = await stage({ x });
    const { matched, nearest } = await test.ask({ event: post(text, { lang: 'es' }) });
    expect(matched).toBe(false);
    expect(nearest?.value).toBe(value);
    const again = { platform: 'x', value: nearest!.value, event: post(text, { lang: 'es' }) };
    expect(await test.call(test.alice, 'validateRule', again)).toMatchObject({ valid: true, matched: true });
  });

  it('lets in the fewest other recent events, and says how many', async () => {
    await using test = await stage();
    await test.post(test.alice, 'Northline shares rise', 'Northline opens a shop', 'Northline unreachable since noon');
    const { nearest, others, basis } = await test.ask({ text: 'unreachable since' });
    expect(nearest).toEqual({
      change: '(outage OR down OR unreachable) instead of (outage OR down)',
      value: 'northline (outage OR down OR unreachable) -hiring',
      added: 1,
    });
    expect(others).toContainEqual({ change: 'without (outage OR down)', value: 'northline -hiring', added: 3 });
    expect(basis).toEqual({ events: 3, matched: 0, of: 'whole_stream' });
  });

  it('is none where the rule matches, or the event has nothing that it asks for', async () => {
    await using test = await stage();
    expect(await test.ask({ event: post('Northline is down') })).toMatchObject({ matched: true, nearest: null });
    const strange = await test.ask({ event: post('We are hiring in Rome') });
    expect(strange).toMatchObject({ matched: false, nearest: null, others: [] });
  });

  it('counts what the demo feed invented', async () => {
    await using test = await stage();
    const invented = { demo: true, data: { id: '5', text: 'Northline outages' } };
    const matching = { demo: true, data: { id: '6', text: 'Northline outage' } };
    await test.service.context.ingest.add('x', [invented, matching], 'demo');
    await test.post(test.alice, 'Northline outages, really', 'a Northline outage');
    const answer = await test.ask({ text: 'outages, really' });
    expect(answer).toMatchObject({
      nearest: { added: 2, demo_added: 1 },
      basis: { events: 4, matched: 2, demo_events: 2, demo_matched: 1 },
    });
    expect(await test.ask({ event_id: '5' })).toMatchObject({ found: 'recent', demo: true });
  });

  it('changes a flag of pages where it is the flag that keeps the page out', async () => {
    await using test = await openService();
    const alice = await test.caller('alice');
    const { rule_id } = await test.call(alice, 'createRule', {
      name: 'n',
      intent: 'i',
      platforms: ['firehose'],
      overrides: { firehose: 'lava' },
      options: { firehose: { quality: true } },
    });
    const event = { id: 'p', url: 'https://a.example/tag/x', added: ['lava'], publish_time: new Date().toISOString() };
    const { nearest } = await test.call(alice, 'explainEvent', { rule_id, event });
    expect(nearest).toMatchObject({ value: 'lava', options: { firehose: { quality: false } } });
  });
});

describe('the event', () => {
  const page = { id: 'p1', url: 'https://www.site.example/a/?b=1#c', title: 'Northline', added: ['It is quiet.'] };

  it('is found by its words, its address or an id, among recent events', async () => {
    await using test = await stage({ x: 'northline down', firehose: 'northline AND down' });
    const data = { id: '1989', text: 'Northline is   QUIET', author_id: '1' };
    await test.call(test.alice, 'pushEvents', { platform: 'x', lines: JSON.stringify({ data }) });
    await test.call(test.alice, 'pushEvents', { platform: 'firehose', lines: JSON.stringify(page) });
    const { event_id } = await test.ask({ text: 'northline IS quiet' });
    for (const wish of [
      { text: 'northline is quiet' },
      { url: 'https://x.com/someone/status/1989' },
      { url: 'https://twitter.com/i/status/1989?s=20' },
      { event_id: '1989' },
      { event_id },
    ])
      expect(await test.ask(wish)).toMatchObject({ found: 'recent', platform: 'x', payload: { data: { id: '1989' } } });
    for (const url of ['http://site.example/a?b=1', 'https://www.site.example/a/?b=1'])
      expect(await test.ask({ url })).toMatchObject({ found: 'recent', platform: 'firehose', payload: { id: 'p1' } });
  });

  it('is found among stored matches where it is no longer recent', async () => {
    await using test = await stage({ x: 'northline down', firehose: 'northline AND quiet' });
    await test.post(test.alice, 'Northline is down');
    await test.call(test.alice, 'pushEvents', {
      platform: 'firehose',
      lines: JSON.stringify({ ...page, added: ['Northline is quiet.'] }),
    });
    const { matches } = await test.call(test.alice, 'listMatches', {});
    const none = async function* () {};
    Object.assign(test.service.context.store, { recentEvents: none });
    expect(matches).toHaveLength(2);
    for (const { event_id, platform_post_id, platform } of matches)
      for (const id of [event_id, platform_post_id])
        expect(await test.ask({ event_id: id })).toMatchObject({ found: 'stored', platform, event_id });
    expect(await test.ask({ text: 'northline is down' })).toMatchObject({ found: 'stored', platform: 'x' });
    expect(await test.ask({ url: 'https://site.example/a?b=1' })).toMatchObject({ found: 'stored', matched: true });
  });

  it('is its text alone where it is found nowhere, and refused by address or id', async () => {
    await using test = await stage();
    expect(await test.ask({ text: 'Northline outages' })).toMatchObject({ found: 'text_only', matched: false });
    for (const wish of [{ url: 'https://x.com/a/status/1' }, { url: 'https://a.example' }, { event_id: 'event_x' }])
      await expect(test.ask(wish)).rejects.toMatchObject({
        code: 'not_found',
        message: expect.stringContaining('fetch'),
      });
  });

  it('of another account is never found', async () => {
    await using test = await stage();
    const bob = await test.caller('bob');
    await test.post(bob, 'Northline secret outages');
    expect(await test.ask({ text: 'northline secret outages' })).toMatchObject({
      found: 'text_only',
      basis: { events: 0 },
    });
    const stranger = { rule_id: test.rule_id, text: 'northline' };
    await expect(test.call(bob, 'explainEvent', stranger)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is explained by a text that is no rule yet', async () => {
    await using test = await stage();
    await test.post(test.alice, 'Northline unreachable since noon');
    const draft = { platform: 'x', value: 'northline (outage OR down)', text: 'unreachable since' };
    const answer = await test.call(test.alice, 'explainEvent', draft);
    expect(answer).toMatchObject({
      found: 'recent',
      matched: false,
      nearest: { value: 'northline (outage OR down OR unreachable)' },
    });
    expect(answer).not.toHaveProperty('rule_id');
    const path = (input: object) =>
      test.call(test.alice, 'explainEvent', input).then(
        () => 'accepted',
        ({ details }: { details: { issues: { path: string }[] } }) => details.issues[0]?.path,
      );
    expect(await path({ ...draft, rule_id: test.rule_id })).toBe('rule_id');
    expect(await path({ text: 'unreachable' })).toBe('rule_id');
    expect(await path({ value: 'northline', text: 'unreachable' })).toBe('platform');
    expect(await path({ ...draft, value: 'northline (' })).toBe('value');
  });

  it('is given in one way', async () => {
    await using test = await stage();
    const wishes = [
      {},
      { text: 'lava', url: 'https://a.example' },
      { url: 'file:///etc/passwd' },
      { event: { data: {} } },
    ];
    for (const wish of wishes) await expect(test.ask(wish)).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});
