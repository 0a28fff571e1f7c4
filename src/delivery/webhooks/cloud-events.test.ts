import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANY_CHARACTER } from '../../../test/generated/any-character.ts';
import type { Match } from '../../domain/match.ts';
import { alertBody, deliveryBody, noticeBody, testBody } from './formats.ts';
import { WIRES } from './wires.ts';

const matchOf = (change: Partial<Match> = {}): Match => ({
  id: 'match_1',
  createdAt: new Date('2026-11-15T08:30:00.123Z'),
  position: 1,
  platform: 'x',
  platformPostId: '77',
  ruleId: 'rule_1',
  ruleName: 'Volcano news',
  ruleVersion: 1,
  payload: { data: { id: '77', text: 'Lava' } },
  highlights: [],
  ...change,
});
/** A number that JavaScript cannot hold: it must arrive as it was written. */
const encode = ({ id }: Match) => `{"id":"${id}","views":12345678901234567890}`;
const ATTRIBUTES = {
  specversion: '1.0',
  id: 'match_1',
  source: '/rules/rule_1',
  type: 'sluice.match.created',
  time: '2026-11-15T08:30:00.123Z',
  subject: 'x/77',
  datacontenttype: 'application/json',
};
const request = (format: 'cloudevents' | 'cloudevents-batch' | 'cloudevents-binary', body: string) =>
  WIRES[format].request({ url: 'https://a.test/', id: 'dlv_1', body, credential: undefined });

describe('CloudEvents', () => {
  it('in structured mode hold one match, with its bytes as they are', () => {
    const { text, matches } = deliveryBody({ id: 'hook_1', format: 'cloudevents' }, [matchOf(), matchOf()], encode);
    expect(matches).toBe(1);
    const { body, headers } = request('cloudevents', text);
    expect(headers['content-type']).toBe('application/cloudevents+json; charset=utf-8');
    expect(JSON.parse(body)).toEqual({ ...ATTRIBUTES, data: { id: 'match_1', views: expect.any(Number) } });
    expect(body).toContain('"data":{"id":"match_1","views":12345678901234567890}}');
  });

  it('in batches hold many', () => {
    const two = [matchOf(), matchOf({ id: 'match_2' })];
    const { text, matches } = deliveryBody({ id: 'hook_1', format: 'cloudevents-batch' }, two, encode);
    const { body, headers } = request('cloudevents-batch', text);
    expect(matches).toBe(2);
    expect(headers['content-type']).toBe('application/cloudevents-batch+json; charset=utf-8');
    expect((JSON.parse(body) as { id: string }[]).map(({ id }) => id)).toEqual(['match_1', 'match_2']);
  });

  it('in binary mode have the attributes as headers, and the data alone as the body', () => {
    const { text } = deliveryBody({ id: 'hook_1', format: 'cloudevents-binary' }, [matchOf()], encode);
    expect(request('cloudevents-binary', text)).toEqual({
      url: 'https://a.test/',
      body: encode(matchOf()),
      headers: {
        'content-type': 'application/json',
        'ce-specversion': '1.0',
        'ce-id': 'match_1',
        'ce-source': '/rules/rule_1',
        'ce-type': 'sluice.match.created',
        'ce-time': '2026-11-15T08:30:00.123Z',
        'ce-subject': 'x/77',
      },
    });
  });

  it('encode every character of a header that HTTP would not carry', () => {
    fc.assert(
      fc.property(fc.string({ unit: ANY_CHARACTER }), (platformPostId) => {
        const match = matchOf({ platformPostId });
        const { text } = deliveryBody({ id: 'h', format: 'cloudevents-binary' }, [match], encode);
        const subject = request('cloudevents-binary', text).headers['ce-subject']!;
        expect(subject).toMatch(/^[\x21\x23-\x7e]*$/);
        expect(decodeURIComponent(subject)).toBe(`x/${platformPostId}`.toWellFormed());
      }),
    );
  });

  it('tell tests, notices and alerts apart by their type, and repeat an id only for the same thing', () => {
    const at = new Date(1_000);
    const webhook = { id: 'hook_1', format: 'cloudevents' } as const;
    const alert = {
      id: 'alert_1',
      accountId: 'one',
      ruleId: 'rule_1',
      ruleName: 'r',
      platform: 'x',
      kind: 'surge',
      from: at,
      rate: 1,
      usualRate: 1,
    } as const;
    const notice = { type: 'webhook_failing', at, message: 'm', subject: { webhookId: 'hook_2' } } as const;
    const events = [
      testBody(webhook, matchOf(), encode),
      noticeBody(webhook, notice),
      alertBody(webhook, { ...alert, to: undefined }),
      alertBody(webhook, { ...alert, to: new Date(2_000) }),
    ].map((body) => JSON.parse(body) as { id: string; source: string; type: string; data: { type?: string } });
    expect(events.map(({ type }) => type)).toEqual([
      'sluice.webhook.test',
      'sluice.webhook.failing',
      'sluice.alert.raised',
      'sluice.alert.ended',
    ]);
    expect(new Set(events.map(({ id, source }) => `${source} ${id}`)).size).toBe(4);
    expect(events[1]).toMatchObject({ source: '/webhooks/hook_2', data: { type: 'operational' } });
  });
});
