import { describe, expect, it } from 'vitest';
import type { WebhookFormat } from '../../domain/webhook.ts';
import { WIRES } from './wires.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const parts = { url: 'https://a.example/x', id: 'dlv_1', body: '{"text":"a"}', credential: undefined };

describe('a request', () => {
  it.each<[WebhookFormat, Record<string, string>]>([
    ['json', JSON_TYPE],
    ['slack', JSON_TYPE],
    ['discord', JSON_TYPE],
    ['mcp', JSON_TYPE],
    ['email', {}],
    ['cloudevents', { 'content-type': 'application/cloudevents+json; charset=utf-8' }],
    ['cloudevents-batch', { 'content-type': 'application/cloudevents-batch+json; charset=utf-8' }],
    ['ndjson', { 'content-type': 'application/x-ndjson' }],
    ['parquet', { 'content-type': 'application/vnd.apache.parquet' }],
  ])('of %s has the frozen body, and its type', (format, headers) => {
    expect(WIRES[format].request(parts)).toEqual({ url: parts.url, body: parts.body, headers });
  });

  it('to Telegram has the chat in its body, and the token in its address', () => {
    const url = 'https://api.telegram.org/bot***/sendMessage?chat_id=7&message_thread_id=2';
    expect(WIRES.telegram.request({ ...parts, url, credential: '1:a$&' })).toEqual({
      url: 'https://api.telegram.org/bot1:a$&/sendMessage',
      body: '{"chat_id":"7","message_thread_id":"2","text":"a"}',
      headers: JSON_TYPE,
    });
    expect(WIRES.telegram.request({ ...parts, url }).url).toBe('https://api.telegram.org/bot/sendMessage');
  });

  it('to ntfy goes to the root of the server, with the topic in its body', () => {
    const url = 'https://ntfy.example/base/my%2Dtopic';
    expect(WIRES.ntfy.request({ ...parts, url, credential: 'tk' })).toEqual({
      url: 'https://ntfy.example/base/',
      body: '{"topic":"my-topic","text":"a"}',
      headers: { ...JSON_TYPE, authorization: 'Bearer tk' },
    });
    expect(WIRES.ntfy.request({ ...parts, url }).headers).toEqual(JSON_TYPE);
  });

  it('to Teams has its signature in the address again', () => {
    const url = 'https://prod.example/?sig=***';
    expect(WIRES.teams.request({ ...parts, url, credential: 's$1' })).toEqual({
      url: 'https://prod.example/?sig=s$1',
      body: parts.body,
      headers: JSON_TYPE,
    });
    expect(WIRES.teams.request({ ...parts, url }).url).toBe('https://prod.example/?sig=');
  });

  it('to Matrix names its delivery in the address, so that a repeat is the same event', () => {
    for (const url of ['https://m.example/send', 'https://m.example/send/'])
      expect(WIRES.matrix.request({ ...parts, url, id: 'a/b', credential: 'tk' })).toEqual({
        url: 'https://m.example/send/a%2Fb',
        method: 'PUT',
        body: parts.body,
        headers: { ...JSON_TYPE, authorization: 'Bearer tk' },
      });
  });

  it('is signed where the receiver is a program', () => {
    const signed = Object.entries(WIRES).filter(([, { isSigned }]) => isSigned);
    expect(signed.map(([format]) => format).toSorted()).toEqual([
      'a2a',
      'cloudevents',
      'cloudevents-batch',
      'cloudevents-binary',
      'discord',
      'json',
      'mcp',
      'slack',
      'wake',
    ]);
  });
});

describe('what an answer says of waiting', () => {
  it.each<[WebhookFormat, string, number | undefined]>([
    ['telegram', '{"ok":false,"parameters":{"retry_after": 30}}', 30],
    ['telegram', '{"ok":false,"parameters":{"retry_after":7', 7],
    ['telegram', '{"ok":false}', undefined],
    ['matrix', '{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":2500}', 2.5],
    ['matrix', '{"errcode":"M_LIMIT_EXCEEDED"}', undefined],
  ])('of %s is read from its text: %s', (format, response, seconds) => {
    expect(WIRES[format].retryAfter!(response)).toBe(seconds);
  });
});
