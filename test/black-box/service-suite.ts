/**
 * A client that knows only the specification, against the real program over HTTP: sentence by sentence. It is the same
 * whether one process answers or several stand behind the one that does.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, failureIn, KEY, type Started } from './server.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const SETTINGS = { SLUICE_SUPPORT: 'help@sluice.test' };

export type ServiceUnderTest = Pick<Started, 'url' | 'call' | 'push'> & AsyncDisposable;

export function serviceSuite(open: (settings: Record<string, string>) => Promise<ServiceUnderTest>): void {
  let server: ServiceUnderTest;
  beforeAll(async () => {
    server = await open(SETTINGS);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    server.call('POST', path, body, { headers });
  const xRule = (value: string, name = 'a rule') => ({ name, intent: '', platforms: ['x'], overrides: { x: value } });
  const firehoseRule = (value: string) => ({
    name: 'a rule',
    intent: 'pages',
    platforms: ['firehose'],
    overrides: { firehose: value },
  });
  const xPost = (id: string, text: string) => ({ data: { id, text } });

  async function createRule(body: unknown): Promise<string> {
    const { status, body: answer, text } = await post('/api.CreateRule', body);
    expect([status, text]).toEqual([200, expect.any(String)]);
    return answer['rule_id'] as string;
  }

  const issuePaths = ({ body }: Answer): string[] =>
    (body['details'] as { issues: { path: string }[] }).issues.map(({ path }) => path);
  const matchesOf = async (body: unknown) =>
    (await post('/matches', body)).body['matches'] as Record<string, unknown>[];

  describe('Create Rule', () => {
    it('answers 200 with the id and what each platform registered, trimmed as the caller wrote it', async () => {
      const answer = await post('/api.CreateRule', {
        name: 'Volcano news',
        intent: 'Tell me when a volcano erupts.',
        platforms: ['x', 'firehose'],
        overrides: { x: '  (volcano OR lava) erupting ', firehose: 'title:volcano' },
      });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        rule_id: expect.stringMatching(/^rule_/),
        platforms: {
          x: { platform_rule_id: expect.any(String), translated_value: '(volcano OR lava) erupting' },
          firehose: { platform_rule_id: expect.any(String), translated_value: 'title:volcano' },
        },
      });
      await post('/api.DeleteRule', { rule_id: answer.body['rule_id'] });
    });

    it.each([
      ['a missing field', { intent: '', platforms: ['x'], overrides: { x: 'a' } }, 'name'],
      ['an empty name', { ...xRule('a'), name: '' }, 'name'],
      ['a long name', { ...xRule('a'), name: 'n'.repeat(201) }, 'name'],
      ['a long intent', { ...xRule('a'), intent: 'n'.repeat(2_001) }, 'intent'],
      ['no platform', { ...xRule('a'), platforms: [], overrides: {} }, 'platforms'],
      ['an unknown platform', { ...xRule('a'), platforms: ['myspace'] }, 'platforms.0'],
      ['a platform twice', { ...xRule('a'), platforms: ['x', 'x'] }, 'platforms.1'],
      ['a missing override', { ...xRule('a'), platforms: ['x', 'firehose'] }, 'overrides.firehose'],
      ['an override too many', { ...xRule('a'), overrides: { x: 'a', firehose: 'b' } }, 'overrides.firehose'],
      ['an empty override', xRule('   '), 'overrides.x'],
      ['an override of another type', { ...xRule('a'), overrides: { x: 7 } }, 'overrides.x'],
      ['an unknown field', { ...xRule('a'), colour: 'red' }, 'colour'],
      ['a rule that does not parse', xRule('"never closed'), 'overrides.x'],
    ])('names %s', async (_, body, path) => {
      const answer = await post('/api.CreateRule', body);
      expect(failureIn(answer)).toBe('400 invalid_argument');
      expect(issuePaths(answer)).toContain(path);
    });

    it('shows every problem at once, with positions, and a suggestion where one is known', async () => {
      const answer = await post('/api.CreateRule', {
        name: '',
        intent: 5,
        platforms: ['x'],
        overrides: { x: 'lava AND magma' },
        extra: 1,
      });
      expect(failureIn(answer)).toBe('400 invalid_argument');
      expect(issuePaths(answer)).toEqual(expect.arrayContaining(['name', 'intent', 'extra', 'overrides.x']));
      const issues = (answer.body['details'] as { issues: Record<string, unknown>[] }).issues;
      expect(issues.find(({ path }) => path === 'overrides.x')).toMatchObject({
        position: { start: 5, end: 8 },
        suggestion: 'lava magma',
      });
    });

    it('takes two rules with one value; they share the platform’s rule', async () => {
      const ids = [
        await post('/api.CreateRule', xRule('shared value')),
        await post('/api.CreateRule', xRule('shared value')),
      ];
      const held = ids.map(({ body }) => (body['platforms'] as { x: { platform_rule_id: string } }).x.platform_rule_id);
      expect(held[0]).toBe(held[1]);
      expect(ids[0]!.body['rule_id']).not.toBe(ids[1]!.body['rule_id']);
      for (const { body } of ids) await post('/api.DeleteRule', { rule_id: body['rule_id'] });
    });

    it('takes Firehose’s own flags as options', async () => {
      const id = await createRule({ ...firehoseRule('title:lava'), options: { firehose: { quality: true } } });
      const { body } = await server.call('GET', `/api.GetRule?rule_id=${id}`);
      expect(body).toMatchObject({ id, platforms: { firehose: { status: 'active' } } });
      await post('/api.DeleteRule', { rule_id: id });
    });

    it('answers the same request with the same Idempotency-Key once', async () => {
      const headers = { 'idempotency-key': 'only-once' };
      const first = await post('/api.CreateRule', xRule('once'), headers);
      const again = await post('/api.CreateRule', xRule('once'), headers);
      expect(again.body).toEqual(first.body);
      expect(failureIn(await post('/api.CreateRule', xRule('another'), headers))).toBe('409 already_exists');
      expect(failureIn(await post('/api.CreateRule', xRule('another'), { 'idempotency-key': 'k'.repeat(256) }))).toBe(
        '400 invalid_argument',
      );
      await post('/api.DeleteRule', { rule_id: first.body['rule_id'] });
    });

    it('stops at the limit of x rules and says how to get more', async () => {
      const ids: string[] = [];
      for (let rule = 0; rule < 25; rule++) ids.push(await createRule(xRule(`limit${rule}`)));
      const answer = await post('/api.CreateRule', xRule('one too many'));
      expect(failureIn(answer)).toBe('429 resource_exhausted');
      expect(answer.body['details']).toEqual({ platform: 'x', limit: 25, used: 25 });
      expect(answer.body['message']).toContain('help@sluice.test');
      expect((await post('/api.CreateRule', firehoseRule('no limit here'))).status).toBe(200);
      for (const rule_id of ids) expect((await post('/api.DeleteRule', { rule_id })).status).toBe(200);
    });
  });

  describe('List Rules and Delete Rule', () => {
    it('lists rules oldest first, by GET and by POST alike', async () => {
      const ids = [await createRule(xRule('first', 'one')), await createRule(xRule('second', 'two'))];
      const { status, body } = await server.call('GET', '/api.ListRules');
      expect(status).toBe(200);
      const rules = body['rules'] as Record<string, unknown>[];
      expect(rules.map(({ id }) => id).filter((id) => ids.includes(id as string))).toEqual(ids);
      expect(rules.find(({ id }) => id === ids[0])).toEqual({
        id: ids[0],
        name: 'one',
        intent: '',
        created_at: expect.stringMatching(TIME),
        version: 1,
        paused: false,
        platforms: {
          x: {
            platform_rule_id: expect.any(String),
            translated_value: 'first',
            rule_type: 'premium',
            status: 'active',
            match_count: 0,
            last_match_at: null,
          },
        },
      });
      expect((await server.call('POST', '/api.ListRules')).body).toEqual(body);
      expect((await post('/api.ListRules', {})).body).toEqual(body);
      for (const rule_id of ids) await post('/api.DeleteRule', { rule_id });
    });

    it('deletes with 200 and {}; then the rule and its matches are gone, and nothing more is stored', async () => {
      const rule_id = await createRule(xRule('deletable'));
      await server.push('x', [xPost('901', 'a deletable post')]);
      expect(await matchesOf({ rule_id })).toHaveLength(1);
      const { status, text } = await post('/api.DeleteRule', { rule_id });
      expect([status, text]).toEqual([200, '{}']);
      expect(failureIn(await post('/api.DeleteRule', { rule_id }))).toBe('404 not_found');
      expect(failureIn(await post('/matches', { rule_id }))).toBe('404 not_found');
      expect((await server.push('x', [xPost('902', 'another deletable post')])).body).toMatchObject({
        accepted: 1,
        matches: 0,
      });
      expect((await matchesOf({})).map((match) => match['rule_id'])).not.toContain(rule_id);
    });

    it('answers not_found to an id that never was', async () => {
      expect(failureIn(await post('/api.DeleteRule', { rule_id: 'rule_nothing' }))).toBe('404 not_found');
      expect(failureIn(await server.call('GET', '/api.GetRule?rule_id=rule_nothing'))).toBe('404 not_found');
    });
  });

  describe('List Matches', () => {
    it('shows a match with its payload, once, however often the post comes', async () => {
      const rule_id = await createRule(xRule('comet', 'Comets'));
      const event = { data: { id: '77', text: 'A comet passes' }, includes: { users: [{ id: '5', username: 'ana' }] } };
      expect((await server.push('x', [event, event])).body).toEqual({ accepted: 2, matches: 1, rejected: [] });
      expect((await server.push('x', [event])).body).toMatchObject({ matches: 0 });
      const { body } = await post('/matches', { rule_id });
      expect(body).toEqual({
        latest_cursor: expect.any(String),
        matches: [
          {
            id: expect.stringMatching(/^match_/),
            created_at: expect.stringMatching(TIME),
            platform: 'x',
            platform_post_id: '77',
            rule_id,
            rule_name: 'Comets',
            rule_version: 1,
            payload: event,
            highlights: [{ field: 'data.text', start: 2, end: 7 }],
          },
        ],
        coverage: { complete_through: expect.stringMatching(TIME), gaps: [] },
      });
      const listed = (await server.call('GET', `/api.GetRule?rule_id=${rule_id}`)).body as {
        platforms: { x: Record<string, unknown> };
      };
      expect(listed.platforms.x).toMatchObject({ match_count: 1, last_match_at: expect.stringMatching(TIME) });
      await post('/api.DeleteRule', { rule_id });
    });

    it('pages newest first, and a page is stable while new matches arrive', async () => {
      const rule_id = await createRule(xRule('page'));
      await server.push(
        'x',
        Array.from({ length: 25 }, (_, n) => xPost(`3${n}`, `page ${n}`)),
      );
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const { body } = await post('/matches', { rule_id, limit: 10, ...(cursor && { cursor }) });
        seen.push(...(body['matches'] as { id: string }[]).map(({ id }) => id));
        cursor = body['next_cursor'] as string | undefined;
        if (seen.length === 10) await server.push('x', [xPost('3999', 'page late')]);
      } while (cursor !== undefined);
      expect(new Set(seen).size).toBe(25);
      const all = await matchesOf({ rule_id });
      expect(all.slice(1).map(({ id }) => id)).toEqual(seen);
      const order = all.map((match) => JSON.stringify([match['created_at'], match['id']]));
      expect(order).toEqual(order.toSorted().toReversed());
      await post('/api.DeleteRule', { rule_id });
    });

    it('takes all fields as optional, and filters by platform, time and text', async () => {
      const rule_id = await createRule(xRule('filtered'));
      await server.push('x', [xPost('41', 'filtered Café'), xPost('42', 'filtered tea')]);
      expect((await matchesOf({})).length).toBeGreaterThanOrEqual(2);
      expect(await matchesOf({ rule_id, platform: 'firehose' })).toEqual([]);
      expect(await matchesOf({ rule_id, platform: 'x', limit: 1 })).toHaveLength(1);
      expect((await matchesOf({ rule_id, text: 'CAFÉ' })).map((match) => match['platform_post_id'])).toEqual(['41']);
      expect(await matchesOf({ rule_id, since: '2100-01-01T00:00:00Z' })).toEqual([]);
      expect(await matchesOf({ rule_id, until: '2100-01-01T00:00:00Z' })).toHaveLength(2);
      await post('/api.DeleteRule', { rule_id });
    });

    it.each([
      [{ limit: 0 }],
      [{ limit: 1_001 }],
      [{ limit: 1.5 }],
      [{ limit: '5' }],
      [{ platform: 'web' }],
      [{ cursor: 'nonsense' }],
      [{ since: 'yesterday' }],
      [{ rules: [] }],
    ])('refuses %o', async (body) => {
      expect(failureIn(await post('/matches', body))).toBe('400 invalid_argument');
    });
  });

  describe('Get Platform Syntax', () => {
    it('describes each platform so that rules can be written from it', async () => {
      const { status, body } = await post('/platforms/syntax', {});
      expect(status).toBe(200);
      const platforms = body['platforms'] as Record<string, Record<string, unknown>>;
      expect(Object.keys(platforms).toSorted()).toEqual(['firehose', 'x']);
      for (const [name, syntax] of Object.entries(platforms)) {
        expect(Object.keys(syntax)).toEqual(
          expect.arrayContaining([
            'platform',
            'rule_type',
            'summary',
            'grammar',
            'operators',
            'limits',
            'examples',
            'pitfalls',
          ]),
        );
        expect(syntax['platform']).toBe(name);
        for (const { rule } of syntax['examples'] as { rule: string }[]) {
          expect((await post('/api.ValidateRule', { platform: name, value: rule })).body).toMatchObject({
            valid: true,
          });
        }
      }
    });

    it('describes only what is asked for, and refuses what it does not know', async () => {
      expect(Object.keys((await post('/platforms/syntax', { platforms: ['x'] })).body['platforms'] as object)).toEqual([
        'x',
      ]);
      expect(failureIn(await post('/platforms/syntax', { platforms: [] }))).toBe('400 invalid_argument');
      expect(failureIn(await post('/platforms/syntax', { platforms: ['web'] }))).toBe('400 invalid_argument');
      expect(failureIn(await post('/platforms/syntax', { platform: 'x' }))).toBe('400 invalid_argument');
    });
  });

  describe('the added operations', () => {
    it('validates without creating, and tries an event', async () => {
      const wrong = await post('/api.ValidateRule', { platform: 'x', value: 'lava AND magma' });
      expect([wrong.status, wrong.body['valid']]).toEqual([200, false]);
      const right = await post('/api.ValidateRule', { platform: 'x', value: 'lava', event: xPost('1', 'hot lava') });
      expect(right.body).toMatchObject({
        valid: true,
        issues: [],
        matched: true,
        highlights: [{ field: 'data.text', start: 4, end: 8 }],
      });
    });

    it('previews over recent events', async () => {
      await server.push('x', [xPost('51', 'previewable words')]);
      const { status, body } = await post('/api.PreviewRule', { platforms: ['x'], overrides: { x: 'previewable' } });
      expect(status).toBe(200);
      expect(JSON.stringify(body)).toContain('previewable words');
    });

    it('translates, explains, counts, updates and erases', async () => {
      expect((await post('/api.TranslateRule', { platform: 'x', value: 'lava' })).status).toBe(200);
      const rule_id = await createRule(xRule('eruption'));
      await server.push('x', [xPost('61', 'an eruption')]);
      const [match] = await matchesOf({ rule_id });
      expect((await post('/api.ExplainMatch', { match_id: match!['id'] })).status).toBe(200);
      const counted = await post('/api.MatchCounts', { rule_id });
      expect(counted.status).toBe(200);

      expect((await post('/api.UpdateRule', { rule_id, name: 'Renamed', overrides: { x: 'ash' } })).status).toBe(200);
      expect((await server.call('GET', `/api.GetRule?rule_id=${rule_id}`)).body).toMatchObject({
        name: 'Renamed',
        version: 2,
      });
      expect(await matchesOf({ rule_id })).toMatchObject([{ rule_version: 1 }]);
      await server.push('x', [xPost('62', 'an eruption'), xPost('63', 'ash')]);
      expect(await matchesOf({ rule_id })).toMatchObject([
        { rule_version: 2, platform_post_id: '63' },
        { rule_version: 1 },
      ]);
      await post('/api.UpdateRule', { rule_id, paused: true });
      expect((await server.push('x', [xPost('64', 'ash')])).body).toMatchObject({ matches: 0 });

      expect((await post('/api.DeleteMatches', { platform: 'x', platform_post_id: '61' })).status).toBe(200);
      expect(await matchesOf({ rule_id })).toHaveLength(1);
      await post('/api.DeleteRule', { rule_id });
    });

    it('says how it does', async () => {
      expect((await server.call('GET', '/api.Status')).body).toMatchObject({
        ready: true,
        account: { name: 'default' },
        instance: {},
      });
    });
  });

  describe('events in', () => {
    it('rejects a bad line alone and numbers it', async () => {
      const answer = await server.call('POST', '/events?platform=x', undefined, {
        raw: '{"data":{"id":"1","text":"ok"}}\nnot json\n\n{"data":{"text":"no id"}}\n{"data":{"id":"2","text":"ok"}}\n',
        headers: { 'content-type': 'application/x-ndjson' },
      });
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({ accepted: 2, rejected: [{ line: 2 }, { line: 4 }] });
    });

    it('rejects a line that is not UTF-8 alone', async () => {
      const bytes = Buffer.concat([
        Buffer.from('{"data":{"id":"1","text":"'),
        Buffer.from([0xff, 0xfe]),
        Buffer.from('"}}\n{"data":{"id":"2","text":"ok"}}'),
      ]);
      const answer = await server.call('POST', '/events?platform=x', undefined, {
        raw: bytes,
        headers: { 'content-type': 'application/x-ndjson' },
      });
      expect(answer.body).toMatchObject({ accepted: 1, rejected: [{ line: 1 }] });
    });

    it('takes pages, which need an id or a url', async () => {
      const rule_id = await createRule(firehoseRule('title:glacier'));
      const page = {
        url: 'https://ice.test/a',
        title: 'Glacier news',
        diff: { chunks: [{ typ: 'ins', text: 'it moves' }] },
      };
      expect((await server.push('firehose', [page, page, { title: 'glacier' }])).body).toMatchObject({
        accepted: 2,
        matches: 1,
        rejected: [{ line: 3 }],
      });
      expect(await matchesOf({ rule_id })).toMatchObject([{ platform: 'firehose', payload: page }]);
      await post('/api.DeleteRule', { rule_id });
    });

    it('needs a known platform and the right content type', async () => {
      expect(failureIn(await server.push('web', [{}]))).toBe('400 invalid_argument');
      expect(
        failureIn(
          await server.call('POST', '/events', undefined, {
            raw: '{}',
            headers: { 'content-type': 'application/x-ndjson' },
          }),
        ),
      ).toBe('400 invalid_argument');
      expect(failureIn(await server.call('POST', '/events?platform=x', {}))).toBe('415 invalid_argument');
    });

    it('takes 8 MiB and no more', async () => {
      const push = (size: number) =>
        server.call('POST', '/events?platform=x', undefined, {
          raw: '\n'.repeat(size),
          headers: { 'content-type': 'application/x-ndjson' },
        });
      expect((await push(8 * 1024 * 1024)).status).toBe(200);
      expect(failureIn(await push(8 * 1024 * 1024 + 1))).toBe('413 invalid_argument');
    });
  });

  describe('keys', () => {
    const withKey = (key: string | undefined, path = '/api.ListRules', method = 'GET') =>
      server.call(method, path, undefined, { key });

    it('gives one identical 401, whatever is wrong with the key', async () => {
      const made = (await post('/api.CreateKey', { name: 'short-lived' })).body as { key: string; id: string };
      expect((await withKey(made.key)).status).toBe(200);
      expect((await post('/api.RevokeKey', { key_id: made.id })).status).toBe(200);
      const mistyped = `${made.key.slice(0, -1)}${made.key.endsWith('a') ? 'b' : 'a'}`;
      const answers = [];
      for (const key of [undefined, '', 'sk_nonsense', mistyped, made.key, 'x'.repeat(5_000)])
        answers.push(await withKey(key));
      answers.push(
        await server.call('GET', '/api.ListRules', undefined, {
          key: undefined,
          headers: { authorization: `Basic ${KEY}` },
        }),
      );
      for (const answer of answers) {
        expect(failureIn(answer)).toBe('401 unauthenticated');
        expect(answer.text).toBe(answers[0]!.text);
        expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      }
    });

    it('does not take a key in the query string', async () => {
      expect(failureIn(await withKey(undefined, `/api.ListRules?key=${KEY}`))).toBe('401 unauthenticated');
    });

    it('lists keys without their secrets', async () => {
      const made = (await post('/api.CreateKey', { name: 'listed', scope: 'read' })).body as {
        key: string;
        id: string;
      };
      const { text, body } = await server.call('GET', '/api.ListKeys');
      expect(text).not.toContain(made.key);
      expect(text).not.toContain(KEY);
      expect(body['keys']).toContainEqual(
        expect.objectContaining({ id: made.id, name: 'listed', scope: 'read', last_four: made.key.slice(-4) }),
      );
      expect(made.key).toMatch(/^sk_[A-Za-z0-9]{38}$/);
    });

    it('lets a read key read, and an ingest key push, and neither do more', async () => {
      const keyOf = async (scope: string) =>
        (await post('/api.CreateKey', { name: scope, scope })).body['key'] as string;
      const [read, ingest] = [await keyOf('read'), await keyOf('ingest')];
      const as = (key: string) => (method: string, path: string, body?: unknown) =>
        server.call(method, path, body, { key });
      const reads: [string, string, unknown?][] = [
        ['GET', '/api.ListRules'],
        ['POST', '/matches', {}],
        ['POST', '/platforms/syntax', {}],
        ['POST', '/api.ValidateRule', { platform: 'x', value: 'a' }],
        ['POST', '/api.PreviewRule', { platforms: ['x'], overrides: { x: 'lava' } }],
        ['GET', '/api.Status'],
      ];
      const writes: [string, string, unknown?][] = [
        ['POST', '/api.CreateRule', xRule('a')],
        ['POST', '/api.DeleteRule', { rule_id: 'rule_x' }],
        ['POST', '/api.UpdateRule', { rule_id: 'rule_x' }],
        ['POST', '/api.DeleteMatches', { platform: 'x', platform_post_id: '1' }],
        ['POST', '/api.CreateKey', { name: 'k' }],
        ['POST', '/api.RevokeKey', { key_id: 'key_x' }],
        ['GET', '/metrics'],
      ];
      for (const [method, path, body] of reads) {
        expect([path, (await as(read)(method, path, body)).status]).toEqual([path, 200]);
        expect(failureIn(await as(ingest)(method, path, body))).toBe('403 permission_denied');
      }
      for (const [method, path, body] of writes) {
        expect(failureIn(await as(read)(method, path, body))).toBe('403 permission_denied');
        expect(failureIn(await as(ingest)(method, path, body))).toBe('403 permission_denied');
      }
      expect(failureIn(await server.push('x', [xPost('1', 'a')], read))).toBe('403 permission_denied');
      expect((await server.push('x', [xPost('1', 'a')], ingest)).status).toBe(200);
    });

    it('ends a key at its expiry', async () => {
      expect(failureIn(await post('/api.CreateKey', { name: 'late', expires_at: '2020-01-01T00:00:00Z' }))).toBe(
        '400 invalid_argument',
      );
      expect((await post('/api.CreateKey', { name: 'later', expires_at: '2100-01-01T00:00:00Z' })).status).toBe(200);
    });
  });

  describe('every failure', () => {
    it('has the one shape', async () => {
      expect(failureIn(await server.call('GET', '/nowhere'))).toBe('404 not_found');
      expect(
        failureIn(
          await server.call('POST', '/nowhere', undefined, { raw: 'x', headers: { 'content-type': 'text/plain' } }),
        ),
      ).toBe('404 not_found');
      expect(failureIn(await server.call('GET', '/api.CreateRule'))).toBe('405 unimplemented');
      expect(failureIn(await server.call('OPTIONS', '/matches', undefined, { key: undefined }))).toBe(
        '405 unimplemented',
      );
      for (const raw of ['', '{', '[]', 'null', '"text"', '{"a":1,"a":2}', `${'['.repeat(33)}${']'.repeat(33)}`]) {
        expect(failureIn(await server.call('POST', '/api.CreateRule', undefined, { raw }))).toBe(
          '400 invalid_argument',
        );
      }
      expect(failureIn(await post('/api.CreateRule', { name: 'n'.repeat(256 * 1024) }))).toBe('413 invalid_argument');
      expect(
        failureIn(
          await server.call('POST', '/matches', undefined, { raw: '{}', headers: { 'content-type': 'text/plain' } }),
        ),
      ).toBe('415 invalid_argument');
      expect(
        failureIn(
          await server.call('POST', '/matches', undefined, { raw: '{}', headers: { 'content-encoding': 'gzip' } }),
        ),
      ).toBe('415 invalid_argument');
      expect(failureIn(await server.call('GET', '/%ZZ'))).toBe('400 invalid_argument');
      expect(failureIn(await server.call('GET', '/api.GetRule'))).toBe('400 invalid_argument');
      expect(failureIn(await server.call('GET', '/api.GetRule?rule_id=a&rule_id=b'))).toBe('400 invalid_argument');
      expect(
        failureIn(await server.call('GET', '/healthz', undefined, { headers: { 'x-filler': 'f'.repeat(9_000) } })),
      ).toBe('431 invalid_argument');
    });

    it('says which methods a path answers', async () => {
      expect((await server.call('PUT', '/matches')).headers.get('allow')).toBe('POST');
      expect((await server.call('DELETE', '/api.ListRules')).headers.get('allow')?.split(', ').toSorted()).toEqual([
        'GET',
        'HEAD',
        'POST',
      ]);
    });
  });

  describe('every answer', () => {
    it('has a request id: the caller’s when it can stand in a log', async () => {
      expect((await server.call('GET', '/healthz')).headers.get('x-request-id')).toMatch(/^req_/);
      expect((await server.call('GET', '/nowhere')).headers.get('x-request-id')).toMatch(/^req_/);
      const echo = async (id: string) =>
        (await server.call('GET', '/healthz', undefined, { headers: { 'x-request-id': id } })).headers.get(
          'x-request-id',
        );
      expect(await echo('mine-1.2_3')).toBe('mine-1.2_3');
      expect(await echo('has "quotes"')).toMatch(/^req_/);
    });

    it('lets no other site read it', async () => {
      const { headers } = await server.call('GET', '/api.ListRules', undefined, {
        headers: { origin: 'https://evil.test' },
      });
      expect(headers.get('access-control-allow-origin')).toBeNull();
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('no-store');
    });
  });

  describe('the pages', () => {
    it.each(['/healthz', '/readyz', '/openapi.json', '/docs', '/llms.txt'])('%s needs no key', async (path) => {
      expect((await server.call('GET', path, undefined, { key: undefined })).status).toBe(200);
    });

    it('shows figures to the operator alone', async () => {
      expect(failureIn(await server.call('GET', '/metrics', undefined, { key: undefined }))).toBe(
        '401 unauthenticated',
      );
      const { status, text } = await server.call('GET', '/metrics');
      expect(status).toBe(200);
      for (const name of [
        'sluice_events_total',
        'sluice_matches_total',
        'sluice_rules_evaluated_total',
        'sluice_queued_events',
        'sluice_commit_seconds',
        'sluice_request_seconds',
        'nodejs_eventloop_lag_seconds',
        'sluice_gaps_total',
      ]) {
        expect(text).toContain(name);
      }
    });

    it('asks no other host for anything', async () => {
      const { text, headers } = await server.call('GET', '/docs/', undefined, { key: undefined });
      expect(headers.get('content-security-policy')).toContain("connect-src 'self'");
      expect(text.match(/https?:\/\/[^"'\s<]+/g) ?? []).toEqual([]);
      expect((await server.call('GET', '/docs/js/scalar.js', undefined, { key: undefined })).status).toBe(200);
    });

    it('tells an agent how to begin, with the address it was reached at', async () => {
      const { text } = await server.call('GET', '/llms.txt', undefined, { key: undefined });
      expect(text).toContain(`${server.url}/api.CreateRule`);
      expect((await server.call('GET', '/openapi.json')).body).toMatchObject({
        info: { version: '1' },
        servers: [{ url: server.url }],
      });
    });
  });
}
