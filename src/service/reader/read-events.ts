/**
 * The events of matches that were read lately. A list, a stream, a webhook and an export read the same matches soon after each
 * other, and an event has matches of several rules: it is analysed once for all of them.
 */
import { createLru } from '../../base/lru.ts';
import type { Highlight, Payload, StoredMatch } from '../../domain/match.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { newAnalyzer } from '../../engine/events/analyzer.ts';
import { type Analyzer, type EventView, isRejection } from '../../engine/events/event-view.ts';
import { highlights } from '../../engine/explain/highlights.ts';
import { ViewLookup } from '../../engine/one-rule/view-lookup.ts';
import type { Query } from '../../rules/query.ts';
import { type Traces, tracesOf } from '../../signal/features.ts';
import { shownText } from '../../signal/shown-text.ts';

export interface ReadEvent {
  /** Highlights are found in this view; undefined when this version cannot read the event. */
  lookup(at: Date): ViewLookup | undefined;
  /** A relevance model goes by these traces. */
  readonly traces: Traces;
  /** The highlights that show that a query holds for it; undefined when this version cannot read the event. */
  highlights(query: Query, at: Date): readonly Highlight[] | undefined;
}

export interface ReadEvents {
  of(match: StoredMatch): ReadEvent;
  /** How many events were analysed. */
  readonly analysed: number;
}

/** The weight of an event: its view has a copy of its texts, and numbers for each word. */
const BYTES_OF_EVENT = 4_096;
const BYTES_OF_CHARACTER = 8;
/** Bytes of all: the newest 5,000 posts or so. */
const KEPT_BYTES = 32 * 1024 * 1024;

/** Queries whose highlights are kept: most events match few rules. */
const MOST_SHOWN = 4;
/** Their bytes are not counted: a list that is longer is made again. */
const MOST_KEPT = 8;

interface Shown {
  readonly query: Query;
  readonly at: number;
  readonly found: readonly Highlight[] | undefined;
}

interface Kept {
  readonly json: string;
  readonly event: ReadEvent;
}

export function createReadEvents(limit = KEPT_BYTES): ReadEvents {
  const kept = createLru<string, Kept>({
    limit,
    weightOf: ({ json }) => BYTES_OF_EVENT + BYTES_OF_CHARACTER * json.length,
  });
  const analyzers = Object.fromEntries(PLATFORMS.map((name) => [name, newAnalyzer(name)])) as Record<
    Platform,
    Analyzer
  >;
  let analysed = 0;
  let last: { readonly match: StoredMatch; readonly payload: Payload } | undefined;

  /** A payload is parsed where it is read. Highlights and relevance of an event are found one after the other, so the last one is kept. */
  function payloadOf(match: StoredMatch): Payload {
    if (last?.match !== match) last = { match, payload: match.payload };
    return last.payload;
  }

  function readEvent(match: StoredMatch): ReadEvent {
    const { platform } = match;
    let lookup: ViewLookup | undefined;
    let traces: Traces | undefined;
    let isRead = false;
    let shown: readonly Shown[] = [];
    const event: ReadEvent = {
      highlights(query, at) {
        const time = at.getTime();
        const known = shown.find((one) => one.query === query && one.at === time);
        if (known !== undefined) return known.found;
        const view = event.lookup(at);
        const found = view && highlights(query, view);
        if ((found?.length ?? 0) <= MOST_KEPT) shown = [{ query, at: time, found }, ...shown.slice(0, MOST_SHOWN - 1)];
        return found;
      },
      lookup(at) {
        if (!isRead) {
          isRead = true;
          analysed++;
          const view = lastingView(analyzers[platform], payloadOf(match));
          lookup = view && new ViewLookup(view, at.getTime());
        }
        // The matches of one event are mostly stored together.
        if (lookup !== undefined && lookup.now !== at.getTime()) lookup = new ViewLookup(lookup.view, at.getTime());
        return lookup;
      },
      get traces() {
        traces ??= tracesOf(shownText(platform, payloadOf(match)));
        return traces;
      },
    };
    return event;
  }

  return {
    of(match) {
      const { platform, platformPostId, json } = match;
      if (json === undefined) return readEvent(match);
      const key = `${platform} ${platformPostId}`;
      const known = kept.get(key);
      // An event may come again with another payload.
      if (known?.json === json) return known.event;
      const event = readEvent(match);
      kept.set(key, { json, event });
      return event;
    },
    get analysed() {
      return analysed;
    },
  };
}

/** An analyzer uses the arrays of its words again, so the view gets a copy of them. */
function lastingView(analyze: Analyzer, payload: Payload): EventView | undefined {
  const view = analyze(payload);
  if (isRejection(view)) return undefined;
  const { starts, ends, pieces, positions, count } = view.words;
  const words = {
    count,
    starts: starts.slice(0, count),
    ends: ends.slice(0, count),
    pieces: pieces.slice(0, count),
    positions: positions.slice(0, count),
  };
  return { ...view, words };
}
