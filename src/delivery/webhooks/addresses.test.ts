import { describe, expect, it } from 'vitest';
import type { WebhookFormat } from '../../domain/webhook.ts';
import {
  addressProblem,
  hasMask,
  isShown,
  NEEDS_CREDENTIAL,
  receiverPlace,
  recipientOf,
  sameReceiver,
  shownAddress,
  splitAddress,
  unmasked,
  withoutAddress,
} from './addresses.ts';

const problemOf = (format: WebhookFormat, url: string) => addressProblem(format, url, { allowPrivate: false });
const TELEGRAM = 'https://api.telegram.org/bot123:abc/sendMessage?chat_id=7';
const TEAMS = 'https://prod.example/workflows/1/invoke?sp=%2Fa&sig=s3cret&v=1';
const MATRIX = 'https://m.example/_matrix/client/v3/rooms/!a:b/send/m.room.message';

describe('what signs in at a receiver', () => {
  it.each<[WebhookFormat, string, string, string | undefined]>([
    ['telegram', TELEGRAM, 'https://api.telegram.org/bot***/sendMessage?chat_id=7', '123:abc'],
    [
      'telegram',
      'https://a.example/x/bot1/sendMessage?chat_id=1',
      'https://a.example/x/bot***/sendMessage?chat_id=1',
      '1',
    ],
    [
      'telegram',
      'https://a.example/bot***/sendMessage?chat_id=7',
      'https://a.example/bot***/sendMessage?chat_id=7',
      undefined,
    ],
    ['teams', TEAMS, 'https://prod.example/workflows/1/invoke?sp=%2Fa&sig=***&v=1', 's3cret'],
    ['teams', 'https://prod.example/?sig=***', 'https://prod.example/?sig=***', undefined],
    ['teams', 'https://prod.example/', 'https://prod.example/', undefined],
    ['json', TELEGRAM, TELEGRAM, undefined],
    ['json', TEAMS, TEAMS, undefined],
    ['email', 'mailto:Ada@EXAMPLE.com', 'mailto:Ada@example.com', undefined],
    ['json', 'nats://ada:secret@a.example/s', 'nats://a.example:4222/s', 'ada:secret'],
    ['json', 'kafka://a.example/t', 'kafka://a.example:9092/t', undefined],
  ])('is taken out of an address of format %s: %s', (format, url, stored, secret) => {
    expect(splitAddress(format, url)).toEqual({ url: stored, secret });
  });

  it('is taken out where it stands, even if the same letters come earlier', () => {
    expect(splitAddress('telegram', 'https://api.telegram.org/botapi/sendMessage?chat_id=1')).toEqual({
      url: 'https://api.telegram.org/bot***/sendMessage?chat_id=1',
      secret: 'api',
    });
    expect(splitAddress('teams', 'https://prod.example/prod?a=1&sig=prod')).toEqual({
      url: 'https://prod.example/prod?a=1&sig=***',
      secret: 'prod',
    });
  });

  it('is put back as it was, whatever signs are in it', () => {
    expect(unmasked('https://a.example/bot***/send', '$&$1')).toBe('https://a.example/bot$&$1/send');
    expect([hasMask('https://a.example/***'), hasMask('https://a.example/**')]).toEqual([true, false]);
  });

  it('is needed by these formats, which say so', () => {
    expect(Object.keys(NEEDS_CREDENTIAL).toSorted()).toEqual(['matrix', 'ndjson', 'parquet', 'telegram']);
  });
});

describe('an address that is shown', () => {
  it.each([
    ['https://hooks.slack.com/services/T000/B000/secret', 'https://hooks.slack.com/***'],
    ['https://discord.com/api/webhooks/1/secret', 'https://discord.com/***'],
    ['https://a.example:8443/?token=secret', 'https://a.example:8443/***'],
    ['https://a.example/#secret', 'https://a.example/***'],
    ['https://a.example/', 'https://a.example/'],
    ['nats://a.example:4222/subject', 'nats://a.example:4222/***'],
    ['kafka://a.example:9092,b.example:9092/topic?tls=on', 'kafka://a.example:9092,b.example:9092/***'],
    ['s3://bucket/prefix?region=eu', 's3://bucket/***'],
    ['s3://bucket', 's3://bucket'],
    ['mailto:ada.lovelace@example.com', 'mailto:a***@example.com'],
    ['mailto:a@example.com', 'mailto:a***@example.com'],
  ])('of %s is %s', (url, shown) => {
    expect(shownAddress(url)).toBe(shown);
  });

  it.each<[WebhookFormat, string, boolean]>([
    ['json', 'https://a.example/***', true],
    ['json', 'https://a.example/**', false],
    ['slack', 'https://a.example/?token=***', true],
    ['email', 'mailto:a***@example.com', true],
    ['json', 'nats://a.example/***', true],
    ['teams', 'https://prod.example/?sig=***', false],
    ['json', 'https://prod.example/?sig=***', true],
    ['telegram', 'https://api.telegram.org/***', true],
    ['telegram', 'https://api.telegram.org/bot***/sendMessage?chat_id=7', false],
  ])('is told from one that lacks its credential: %s, %s', (format, url, shown) => {
    expect(isShown(format, url)).toBe(shown);
  });
});

describe('what a receiver says', () => {
  it.each([
    ['Cannot POST /services/T000/s3cret', 'https://a.example/services/T000/s3cret', 'Cannot POST /***/***/***'],
    ['no token s3cret&x', 'https://a.example/in?token=s3cret', 'no *** ***&x'],
    ['/a%20b%20c or a b c', 'https://a.example/a%20b%20c', '/*** or ***'],
    ['a+b c at a%2Bb%20c', 'https://a.example/?k=a%2Bb%20c', '*** at ***'],
    ['no api v1 here', 'https://a.example/api/v1', 'no api v1 here'],
    ['550 <ada@example.com> unknown', 'mailto:ada@example.com', '550 <a***@example.com> unknown'],
    ['no topic news', 'kafka://a.example:9092/news', 'no topic news'],
    ['longer before long', 'https://a.example/longer/long', '*** before ***'],
  ])('is shown without the address: %s', (text, url, shown) => {
    expect(withoutAddress(text, url)).toBe(shown);
  });
});

describe('the place of a receiver', () => {
  it.each([
    ['https://a.example:8443/secret?b', 'a.example:8443'],
    ['mailto:ada@example.com', 'ada@example.com'],
    ['nats://u:p@a.example/s', 'a.example:4222'],
    ['s3://bucket/p', 'bucket.s3.us-east-1.amazonaws.com/bucket'],
    ['s3://bucket/p?endpoint=https://m.example', 'm.example/bucket'],
  ])('of %s is %s', (url, place) => expect(receiverPlace(url)).toBe(place));

  it.each([
    ['https://a.example/1', 'https://a.example/2', true],
    ['https://a.example/1', 'http://a.example/1', false],
    ['https://a.example/', 'https://b.example/', false],
    ['s3://bucket/a', 's3://bucket/b', true],
    ['s3://bucket/a', 's3://bucket/a?endpoint=https://m.example', false],
    ['s3://one', 's3://other', false],
  ])('of %s and %s is the same: %s', (one, other, isSame) => expect(sameReceiver(one, other)).toBe(isSame));

  it('of a mail is one plain recipient of 254 characters at most', () => {
    expect(recipientOf('mailto:a.b+c_d@mail.example.com')).toBe('a.b+c_d@mail.example.com');
    for (const url of [
      'mailto:a@b',
      'mailto:a@b.example,c@d.example',
      'mailto:a@b.example?cc=c',
      'mailto:.a@b.example',
    ])
      expect(recipientOf(url)).toBeUndefined();
    const domain = `${'d'.repeat(60)}.${'d'.repeat(60)}.example`;
    const local = (length: number) => `mailto:${'a'.repeat(length - domain.length - 1)}@${domain}`;
    expect([recipientOf(local(254))?.length, recipientOf(local(255))]).toEqual([254, undefined]);
  });
});

describe('an address', () => {
  it.each<[WebhookFormat, string]>([
    ['json', 'https://a.example/'],
    ['telegram', TELEGRAM],
    ['ntfy', 'https://ntfy.example/my-topic_1'],
    ['ntfy', `https://ntfy.example/${'t'.repeat(64)}`],
    ['matrix', MATRIX],
    ['matrix', `${MATRIX}/`],
    ['email', 'mailto:ada@EXAMPLE.com'],
    ['ndjson', 's3://bucket/p'],
    ['json', 'nats://a.example/s'],
    ['cloudevents', 'kafka://a.example,b.example/t'],
  ])('of format %s may be %s', (format, url) => expect(problemOf(format, url)).toBeUndefined());

  const MAIL = 'The format `email` goes with a URL such as mailto:ada@example.com, and with no other.';
  const OBJECTS = 'The formats `ndjson` and `parquet` go with a URL such as s3://bucket/prefix, and with no other.';
  const SINK = 'The URL must be nats://<host>:<port>/<subject> or kafka://<broker>:<port>[,<broker>:<port>]/<topic>.';
  it.each<[WebhookFormat, string, string | RegExp]>([
    ['json', 'not a url', 'The URL is not valid.'],
    ['json', 'mailto:ada@example.com', MAIL],
    ['email', 'https://a.example/', MAIL],
    ['email', 'mailto:ada', 'The URL must be mailto: with one plain address.'],
    ['json', 's3://bucket', OBJECTS],
    ['parquet', 'https://a.example/', OBJECTS],
    ['ndjson', 's3://B', /^The URL must be s3:/],
    ['slack', 'nats://a.example/s', 'NATS and Kafka take the formats `json` and `cloudevents`.'],
    ['cloudevents-batch', 'kafka://a.example/t', 'NATS and Kafka take the formats `json` and `cloudevents`.'],
    ['json', 'nats://a.example', SINK],
    ['telegram', 'https://api.telegram.org/bot1/sendMessage', /^The URL of a Telegram chat must be /],
    ['telegram', 'https://api.telegram.org/bot1/sendMessage?chat_id=', /^The URL of a Telegram chat must be /],
    ['telegram', 'https://api.telegram.org/bot1/send?chat_id=1', /^The URL of a Telegram chat must be /],
    ['ntfy', 'https://ntfy.example/', /^The URL of an ntfy topic must be /],
    ['ntfy', 'https://ntfy.example/a?b', /^The URL of an ntfy topic must be /],
    ['ntfy', `https://ntfy.example/${'t'.repeat(65)}`, /^The URL of an ntfy topic must be /],
    ['matrix', `${MATRIX}?a=1`, /^The URL of a Matrix room must be /],
    ['matrix', 'https://m.example/', /^The URL of a Matrix room must be /],
  ])('of format %s is not %s', (format, url, problem) => {
    expect(problemOf(format, url)).toMatch(problem);
  });

  it.each<[WebhookFormat, string]>([
    ['json', 'http://127.0.0.1/'],
    ['json', 'nats://127.0.0.1/s'],
    ['json', 'kafka://a.example,localhost/t'],
    ['ndjson', 's3://bucket?endpoint=http://127.0.0.1'],
  ])('in the own network is refused (%s, %s), unless the operator allows it', (format, url) => {
    expect(problemOf(format, url)).toEqual(expect.any(String));
    expect(addressProblem(format, url, { allowPrivate: true })).toBeUndefined();
  });
});
