import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pageAnalyzer } from '../../engine/events/page-event.ts';
import {
  errorIn,
  heldAs,
  idOfContent,
  isEqual,
  isSame,
  messageOf,
  pathOfRule,
  readCreated,
  readRules,
  readUpdate,
  refusalIn,
  ruleBody,
  saysLimit,
  saysNoRules,
} from './wire.ts';

const NOW = new Date('2026-06-15T10:00:00Z');
const document = { url: 'https://news.example.com/q2', title: 'Outlook', domain_rating: 81 };
const update = (fields: object): string =>
  JSON.stringify({ tap_id: 't', query_ids: ['41'], matched_at: '2026-06-15T09:41:07.512Z', document, ...fields });

describe('an update', () => {
  it('is read in both generations', () => {
    expect(readUpdate(update({ query_ids: ['41', '57'] }), NOW)).toEqual({
      payload: document,
      verdicts: ['41', '57'],
      tap: 't',
      matchedAt: Date.parse('2026-06-15T09:41:07.512Z'),
    });
    expect(readUpdate(update({ query_ids: undefined, query_id: 41 }), NOW)).toMatchObject({ verdicts: ['41'] });
  });

  it.each([
    ['no JSON', '{"document":'],
    ['no object', '[]'],
    ['no document', update({ document: null })],
    ['no url', update({ document: { title: 'a' } })],
    ['no verdict', update({ query_ids: [] })],
    ['a verdict that lost digits', '{"query_ids":[12345678901234567890],"document":{"url":"u"}}'],
    ['a nest', `{"document":{"url":"u","x":${'['.repeat(10_000)}${']'.repeat(10_000)}}}`],
    ['keys that mean something else', '{"query_ids":["1"],"document":{"url":"u","__proto__":{}}}'],
  ])('with %s is broken', (_, data) => {
    expect(readUpdate(data, NOW)).toHaveProperty('broken');
  });

  it.each(['yesterday', 7, null, '2026-06-15T09:41:07', '2126-01-01T00:00:00Z', '0000-00-00T00:00:00Z'])(
    'with the time %s has none',
    (matched_at) => {
      expect(readUpdate(update({ matched_at }), NOW)).toMatchObject({ matchedAt: undefined });
    },
  );

  it.each([
    ['an hour ahead, as clocks differ', '2026-06-15T10:59:59.999Z', true],
    ['more than an hour ahead', '2026-06-15T11:00:00.000Z', false],
    ['in another zone', '2026-06-15T11:41:07+0200', true],
    ['in another zone, with a colon', '2026-06-15T11:41:07+02:00', true],
    ['before 1970', '1969-12-31T23:59:59Z', false],
    ['in too many words', `2026-06-15T09:41:07.${'0'.repeat(20)}Z`, false],
  ])('with a time %s is placed accordingly', (_, matched_at, isKnown) => {
    const read = readUpdate(update({ matched_at }), NOW);
    expect('matchedAt' in read && read.matchedAt).toBe(isKnown ? Date.parse(matched_at) : undefined);
  });

  it('says what is wrong with it', () => {
    const broken = (fields: object) => readUpdate(update(fields), NOW);
    expect(broken({ document: null })).toEqual({ broken: 'It has no document.' });
    expect(broken({ document: { url: '' } })).toEqual({ broken: 'Its document has no url.' });
    expect(broken({ document: { url: 7 } })).toEqual({ broken: 'Its document has no url.' });
    expect(broken({ query_ids: ['1', null] })).toEqual({ broken: 'It does not say which rules matched.' });
    expect(broken({ query_ids: undefined, query_id: '' })).toEqual({ broken: 'It does not say which rules matched.' });
    expect(readUpdate('{', NOW)).toEqual({ broken: 'It is not valid JSON.' });
  });

  it('may come without its tap, and from one with a number', () => {
    expect(readUpdate(update({ tap_id: undefined }), NOW)).toMatchObject({ tap: undefined });
    expect(readUpdate(update({ tap_id: 12 }), NOW)).toMatchObject({ tap: '12' });
    expect(readUpdate(update({ tap_id: 1.5 }), NOW)).toMatchObject({ tap: undefined });
  });

  it('without an id is known by 32 digits of its content', () => {
    expect(idOfContent('a')).toBe('ca978112ca1bbdcafac231b39a23dc4d');
  });

  it('with half a character is mended there', () => {
    const data = update({}).replace('Outlook', String.raw`Out\ud83dlook`);
    expect(readUpdate(data, NOW)).toMatchObject({ payload: { ...document, title: 'Out\uFFFDlook' } });
  });

  it('is a page that the engine can read, whatever else is in it', () => {
    const analyze = pageAnalyzer();
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (fields, diff) => {
        const read = readUpdate(update({ document: { ...fields, diff, url: 'https://a.example/' } }), NOW);
        fc.pre(!('broken' in read));
        expect(analyze(read.payload)).toHaveProperty('pieces');
      }),
    );
  });

  it('may be any text', () => {
    fc.assert(fc.property(fc.string(), (data) => readUpdate(data, NOW) !== undefined));
  });
});

describe('words of the upstream', () => {
  it('are found where they have been seen', () => {
    const of = (body: unknown, text = 'raw') => messageOf({ body, text, status: 422 });
    expect(of({ error: { message: 'a' }, message: 'b' })).toBe('a');
    expect(of({ message: 'b', errors: { value: ['c'] } })).toBe('b');
    expect(of({ errors: { value: ['c'] }, error: 'd' })).toBe('c');
    expect(of({ error: 'd' })).toBe('d');
    expect(of(undefined)).toBe('raw');
    expect(of(undefined, '')).toBe('status 422');
    expect(errorIn('{"message":"gone"}')).toBe('gone');
    expect(errorIn('gone')).toBe('gone');
    expect(errorIn('{"message":7}')).toBe('{"message":7}');
    expect(of({ error: { message: '' }, message: 7, errors: { value: [''] } })).toBe('raw');
  });

  it('tell some cases apart', () => {
    expect(saysNoRules('No rules configured. Create rules first via POST /v1/rules.')).toBe(true);
    expect(saysLimit('Rule limit reached. The plan allows up to 25 rules.')).toBe(true);
    expect(saysLimit('The value is not a valid query.')).toBe(false);
  });

  it('say why a query is not taken', () => {
    const diagnostics = [
      { severity: 'warning', message: 'w' },
      { severity: 'error', message: 'e' },
    ];
    expect(refusalIn({ valid: false, diagnostics })).toBe('e');
    expect(refusalIn({ data: { valid: false, diagnostics: [] } })).toBe('The query is not valid.');
    expect(refusalIn({ valid: false, diagnostics: [{ severity: 'warning', message: 'w' }] })).toBe('w');
    expect(refusalIn({ valid: false, diagnostics: 'many' })).toBe('The query is not valid.');
    expect(refusalIn({ valid: true, diagnostics })).toBeUndefined();
    expect(refusalIn('nonsense')).toBeUndefined();
  });
});

it('knows a rule again, by its letters, its flags and its tag', () => {
  const [held] = readRules({ data: [{ id: 7, value: 'rain', tag: 'ours', quality: false }, { id: 8 }, null] })!;
  expect(held).toEqual({ id: '7', value: 'rain', flags: { quality: false }, tag: 'ours' });
  const same = { value: 'rain', tag: 'ours', flags: { quality: false, nsfw: false } };
  expect(isSame(held!, same)).toBe(true);
  expect(isSame(held!, { ...same, tag: 'other' })).toBe(false);
  expect(isSame(held!, { ...same, flags: {} })).toBe(false);
  expect(isSame(held!, { ...same, value: 'Rain' })).toBe(false);
  expect(readRules({ data: 'none' })).toBeUndefined();
});

describe('a rule at Firehose', () => {
  const wanted = { value: 'rain', tag: 't'.repeat(300), flags: { nsfw: true } };

  it('is sent with the first 255 characters of its tag, and known again by them', () => {
    expect(ruleBody(wanted)).toEqual({ value: 'rain', tag: 't'.repeat(255), nsfw: true });
    const held = { id: '1', value: 'rain', tag: 't'.repeat(255), flags: { nsfw: true } };
    expect(isSame(held, wanted)).toBe(true);
    expect(isSame({ ...held, tag: undefined }, { ...wanted, tag: '' })).toBe(true);
  });

  it('is compared by the flags that Firehose lists; where a rule states none, by those that it then has', () => {
    const held = heldAs('1', { value: 'rain', tag: 'a', flags: {} });
    expect(held).toEqual({ id: '1', value: 'rain', tag: 'a', flags: { quality: true, nsfw: false } });
    expect(isEqual(held, { value: 'rain', tag: 'b', flags: {} })).toBe(true);
    expect(isEqual(held, { value: 'rain', tag: 'b', flags: { quality: false } })).toBe(false);
    expect(isEqual(held, { value: 'rain', tag: 'b', flags: { nsfw: true } })).toBe(false);
    expect(isEqual({ ...held, flags: {} }, { value: 'rain', tag: 'b', flags: { nsfw: true } })).toBe(true);
  });

  it('is read from the answer to its creation, and has a path of its own', () => {
    expect(readCreated({ data: { id: '7', value: 'rain', tag: '', nsfw: true, quality: 1 } })).toEqual({
      id: '7',
      value: 'rain',
      flags: { nsfw: true },
      tag: undefined,
    });
    expect(readCreated({ data: { id: '', value: 'rain' } })).toBeUndefined();
    expect(readCreated({ id: '7', value: 'rain' })).toBeUndefined();
    expect(pathOfRule('a/b')).toBe('/v1/rules/a%2Fb');
  });
});
