/** Sources of the operator as accounts see them: what they read, and how they do; no secret, no file, no query of an address. */
import type { z } from 'zod';
import { shownSource, withShownSources } from '../../base/parse-url.ts';
import type { FeedState } from '../../domain/coverage.ts';
import type { SourceHealth } from '../../domain/source.ts';
import type { SourceConfig } from '../../sources/kinds/kinds.ts';
import type { SourceState } from '../../sources/source-status.ts';
import type { SourcesRoom } from './room.ts';
import type { listedSource } from './source-shapes.ts';

type Shown = z.input<typeof listedSource>;

/** Options that may tell a secret of the operator, or a place on its machine. */
const HIDDEN = /token|key|secret|password|cookie|header|authorization|file|path|allow_private/i;

const WORDS: Readonly<Record<SourceState, SourceHealth>> = {
  starting: 'waiting',
  live: 'ok',
  silent: 'silent',
  blind: 'changed',
  waiting: 'failing',
  ended: 'ok',
};

export async function operatorSources({ operatorSources: configs, sources, store }: SourcesRoom): Promise<Shown[]> {
  if (configs.length === 0) return [];
  const running = new Map(sources().map((status) => [status.name, status]));
  const feeds = [...(await store.feeds('firehose')), ...(await store.feeds('x'))];
  return configs.map((config) => {
    const status = running.get(config.name);
    const feed = feeds.find(({ kind, name }) => kind === 'source' && name === config.name);
    const state = status?.state ?? stateOf(feed);
    const word = state === undefined ? 'waiting' : WORDS[state];
    const error = word === 'ok' ? undefined : (status?.lastError ?? errorOf(feed));
    return {
      id: config.name,
      name: config.name,
      kind: config.kind,
      options: shownOptions(config),
      secrets: [],
      platforms: [...config.platforms],
      owner: 'operator',
      status: word,
      last_good_at: (status?.lastGoodAt ?? feed?.through)?.toISOString() ?? null,
      last_error: error === undefined ? null : { at: error.at.toISOString(), message: withShownSources(error.message) },
      next_at: null,
      rate: status?.usualPerMinute === undefined ? null : status.usualPerMinute * 24 * 60,
      events: status?.events ?? 0,
      created_at: null,
    };
  });
}

const stateOf = (feed: FeedState | undefined): SourceState | undefined =>
  feed !== undefined && feed.state in WORDS ? (feed.state as SourceState) : undefined;

const errorOf = (feed: FeedState | undefined) =>
  feed?.reason === undefined ? undefined : { at: feed.at, message: feed.reason };

const shownOptions = ({ options }: SourceConfig): Shown['options'] =>
  Object.fromEntries(
    Object.entries(options)
      .filter(([name, value]) => !HIDDEN.test(name) && value !== undefined)
      .map(([name, value]) => [name, withShownAddress(value)]),
  );

const ADDRESS = /^(?:https?|wss?):\/\//i;

/** An option of a source, with each address in it as it is shown to those who may not change the source. */
function withShownAddress(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withShownAddress);
  return typeof value === 'string' && ADDRESS.test(value.trimStart()) ? shownSource(value) : value;
}

/** The options, with addresses as they are shown. */
export const withShownAddresses = (options: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(options).map(([name, value]) => [name, withShownAddress(value)]));
