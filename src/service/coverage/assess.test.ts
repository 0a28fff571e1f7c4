import { describe, expect, it } from 'vitest';
import type { FeedState, Gap } from '../../domain/coverage.ts';
import { assess, type Facts } from './assess.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.parse('2026-11-15T12:00:00.000Z');
const ago = (milliseconds: number) => new Date(NOW - milliseconds);

const feed = (change: Partial<FeedState>): FeedState => ({
  platform: 'firehose',
  kind: 'source',
  name: '',
  state: 'live',
  reason: undefined,
  through: ago(1_000),
  since: ago(24 * HOUR),
  at: ago(1_000),
  ...change,
});
const gap = (from: number, to: number | undefined, cause = 'stall'): Gap => ({
  platform: 'x',
  from: ago(from),
  to: to === undefined ? undefined : ago(to),
  cause,
  recovered: false,
});
const local = (feeds: FeedState[], change: Partial<Facts> = {}): Facts => ({
  now: ago(0),
  shape: 'local',
  hasRules: true,
  feeds,
  streamThrough: undefined,
  missing: [],
  troubles: [],
  ...change,
});
const upstream = (feeds: FeedState[], change: Partial<Facts> = {}): Facts => ({
  ...local(feeds),
  shape: 'upstream',
  streamThrough: ago(7_000),
  ...change,
});
const stream = (change: Partial<FeedState> = {}) => feed({ kind: 'stream', through: undefined, ...change });

describe('the coverage of a local platform', () => {
  it('is unknown without a feed, and with the demo alone', () => {
    expect(assess(local([]))).toEqual({ complete: false, from: undefined, through: undefined, reasons: ['no_feed'] });
    const demo = feed({ kind: 'demo' });
    expect(assess(local([demo]))).toMatchObject({ through: undefined, reasons: ['demo'] });
    expect(assess(local([{ ...demo, at: ago(MINUTE) }]))).toMatchObject({ reasons: ['no_feed'] });
  });

  it('reaches to the last push, and is no more known an hour after it', () => {
    const pushed = (before: number) => assess(local([feed({ kind: 'push', through: ago(before), at: ago(before) })]));
    expect(pushed(HOUR)).toMatchObject({ complete: true, through: ago(HOUR), reasons: [] });
    expect(pushed(HOUR + 1)).toMatchObject({ complete: false, through: ago(HOUR + 1), reasons: ['no_feed'] });
  });

  it('needs every source, and reaches as far as the one that is furthest behind', () => {
    const [one, two] = [feed({ name: 'one' }), feed({ name: 'two', through: ago(MINUTE) })];
    expect(assess(local([one, two]))).toMatchObject({ complete: true, through: ago(MINUTE) });
    const states = { starting: 'down', waiting: 'down', silent: 'silent', blind: 'blind', unheard: 'down' };
    for (const [state, word] of Object.entries(states))
      expect(assess(local([one, { ...two, state }]))).toMatchObject({ reasons: [`source_${word}:two`] });
    expect(assess(local([one, { ...two, through: undefined }]))).toMatchObject({ through: undefined });
  });

  it('counts the sources of the account like the others, and needs no push beside them', () => {
    const own = { since: ago(9 * HOUR), through: ago(HOUR), late: undefined };
    expect(assess(local([], { own }))).toEqual({ complete: true, from: own.since, through: own.through, reasons: [] });
    const [push, demo] = [feed({ kind: 'push', through: ago(3 * HOUR), at: ago(3 * HOUR) }), feed({ kind: 'demo' })];
    expect(assess(local([push, demo], { own }))).toMatchObject({ through: own.through, reasons: [] });
    const both = assess(local([feed({ name: 'one' })], { own: { ...own, late: 'src_1' } }));
    expect(both).toMatchObject({ from: ago(24 * HOUR), through: own.through, reasons: ['source_down:src_1'] });
    const unread = assess(local([], { own: { ...own, through: undefined } }));
    expect(unread).toMatchObject({ through: undefined, reasons: ['not_started'] });
  });

  it('does not trust a source that has not been reported for a quarter of a minute', () => {
    expect(assess(local([feed({ name: 'one', at: ago(15_000) })])).reasons).toEqual([]);
    expect(assess(local([feed({ name: 'one', at: ago(15_001) })])).reasons).toEqual(['source_down:one']);
  });

  it('takes a source that has ended for no feed, and keeps what it brought', () => {
    const ended = feed({ name: 'one', state: 'ended', through: ago(HOUR) });
    expect(assess(local([ended]))).toMatchObject({ through: ago(HOUR), reasons: ['no_feed'] });
    expect(assess(local([ended]), { until: ago(2 * HOUR) })).toMatchObject({ complete: true, reasons: [] });
  });

  it('knows nothing of a push that has stored nothing yet', () => {
    const pushed = feed({ kind: 'push', through: undefined, since: ago(HOUR) });
    expect(assess(local([pushed]))).toEqual({
      complete: false,
      from: ago(HOUR),
      through: undefined,
      reasons: ['no_feed'],
    });
  });

  it('of ended sources and pushes begins with the first and reaches to the last', () => {
    const ended = feed({ name: 'one', state: 'ended', since: ago(9 * HOUR), through: ago(8 * HOUR) });
    const pushed = feed({ kind: 'push', since: ago(3 * HOUR), through: ago(MINUTE) });
    expect(assess(local([ended, pushed]))).toEqual({
      complete: true,
      from: ago(9 * HOUR),
      through: ago(MINUTE),
      reasons: [],
    });
    const demo = feed({ kind: 'demo', since: ago(99 * HOUR), through: ago(0) });
    expect(assess(local([ended, demo]))).toMatchObject({
      from: ago(9 * HOUR),
      through: ago(8 * HOUR),
      reasons: ['demo'],
    });
    expect(assess(local([{ ...demo, state: 'ended' }]))).toMatchObject({ from: undefined, reasons: ['no_feed'] });
  });

  it('begins with the source that listens longest, while an ended one no longer counts', () => {
    const sources = [feed({ name: 'one', since: ago(HOUR) }), feed({ name: 'two', since: ago(2 * HOUR) })];
    const ended = feed({ name: 'three', state: 'ended', since: ago(9 * HOUR), through: ago(8 * HOUR) });
    expect(assess(local([...sources, ended]))).toMatchObject({
      complete: true,
      from: ago(2 * HOUR),
      through: ago(1_000),
    });
    const early = local(sources, { ruleSince: ago(5 * HOUR) });
    expect(assess(early)).toMatchObject({ from: ago(2 * HOUR) });
  });
});

describe('the coverage of an upstream', () => {
  it('is what its stream has shown', () => {
    expect(assess(upstream([stream()]))).toMatchObject({ complete: true, through: ago(7_000), reasons: [] });
    expect(assess(upstream([]))).toMatchObject({ complete: false, reasons: ['stream_down'] });
    expect(assess(upstream([stream()], { streamThrough: undefined }))).toMatchObject({
      through: undefined,
      reasons: ['not_started'],
    });
    expect(assess(upstream([], { hasRules: false }))).toMatchObject({
      complete: true,
      from: undefined,
      through: ago(0),
    });
    const idle = upstream([stream({ state: 'connecting', since: ago(HOUR) })], { hasRules: false });
    expect(assess(idle)).toMatchObject({ complete: true, from: ago(HOUR), through: ago(0), reasons: [] });
  });

  it.each([
    ['connecting', 'dropped', 'stream_down'],
    ['stalled', 'stall', 'stream_down'],
    ['connecting', 'auth', 'token_refused'],
    ['degraded', 'quota', 'over_limit'],
    ['degraded', 'toString', 'stream_down'],
  ])('says why a stream is %s because of %s: %s', (state, reason, code) => {
    expect(assess(upstream([stream({ state, reason })])).reasons).toEqual([code]);
  });
});

describe('gaps', () => {
  it('make an answer incomplete; one that lasts holds the time back, and says why', () => {
    expect(assess(upstream([stream()], { missing: [gap(HOUR, MINUTE)] }))).toMatchObject({
      reasons: ['gap'],
      through: ago(7_000),
    });
    const missing = [gap(HOUR, undefined, 'registration_missing')];
    expect(assess(upstream([stream()], { missing }))).toMatchObject({
      reasons: ['registration_missing', 'gap'],
      through: ago(HOUR),
    });
    const soon = [gap(HOUR, -20_000, 'registration_missing')];
    expect(assess(upstream([stream()], { missing: soon })).reasons).toContain('registration_missing');
    expect(assess(upstream([stream()], { missing: [gap(HOUR, undefined, 'constructor')] })).reasons).toEqual(['gap']);
    const over = [gap(HOUR, 0, 'registration_missing')];
    expect(assess(upstream([stream()], { missing: over }))).toMatchObject({ reasons: ['gap'], through: ago(7_000) });
    const several = [gap(2 * HOUR, undefined, 'over_limit'), gap(HOUR, undefined, 'over_limit')];
    expect(assess(upstream([stream()], { missing: several }))).toMatchObject({
      reasons: ['over_limit', 'gap'],
      through: ago(2 * HOUR),
    });
    const unknown = { missing: several, streamThrough: undefined };
    expect(assess(upstream([stream()], unknown))).toMatchObject({ through: undefined });
  });
});

describe('a rule that is younger than what was heard last', () => {
  it('has not started: nothing has shown yet that its posts come', () => {
    const facts = local([feed({ kind: 'push', through: ago(MINUTE) })]);
    expect(assess({ ...facts, ruleSince: ago(MINUTE) })).toMatchObject({ complete: true, reasons: [] });
    const young = assess({ ...facts, ruleSince: ago(MINUTE - 1) });
    expect(young).toMatchObject({ complete: false, reasons: ['not_started'], through: ago(MINUTE) });
  });
});

describe('a span of time', () => {
  it('that ended before what is complete is not touched by what is wrong now', () => {
    const down = upstream([stream({ state: 'connecting' })], { troubles: ['not_stored'] });
    expect(assess(down, { until: ago(7_000) })).toMatchObject({ complete: true, reasons: [] });
    expect(assess(down, { until: ago(6_999) }).reasons).toEqual(['stream_down', 'not_stored']);
  });

  it('that begins before Sluice listened, or before the rule, is not complete', () => {
    const facts = local([feed({ since: ago(HOUR) })]);
    expect(assess(facts, { since: ago(HOUR) }).reasons).toEqual([]);
    expect(assess(facts, { since: ago(HOUR + 1) }).reasons).toEqual(['not_started']);
    const young = { ...facts, ruleSince: ago(MINUTE) };
    expect(assess(young, { since: ago(MINUTE + 1) })).toMatchObject({ from: ago(MINUTE), reasons: ['not_started'] });
  });
});
