/**
 * The events of matches that were read lately. A list, a stream, a webhook and an export read the same matches soon after each
 * other, and an event has matches of several rules: it is analysed once for all of them.
 */
import { createLru } from '../../base/lru.ts';
import type { Highlight, Payload, StoredMatch } from '../../domain/match.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { newAnalyzer } from '../../engine/events/analyzer.ts';
import { type Analyzer, isRejection } from '../../engine/events/event-view.ts';
import { highlights } from '../../engine/explain/highlights.ts';
import { ViewLookup } from '../../engine/one-rule/view-lookup.ts';
import type { Query } from '../../rules/query.ts';
import { type Traces, tracesOf } from '../../signal/features.ts';
import { shownText } from '../../signal/shown-text.ts';

/** An event as one of its matches has it. */
export interface ReadEvent {
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

/** The weight of an event: its payload is compared, and what was found in it is kept. */
const BYTES_OF_EVENT = 2_048;
const BYTES_OF_CHARACTER = 2;
/** Bytes of all: the newest 3,000 posts or so. */
const KEPT_BYTES = 8 * 1024 * 1024;

/** Queries whose highlights are kept: most events match few rules. */
const MOST_SHOWN = 4;
/** Their bytes are not counted: a list that is longer is made again. */
const MOST_KEPT = 8;

interface Shown {
  readonly query: Query;
  readonly at: number;
  readonly found: readonly Highlight[] | undefined;
}

/** An event with the results of its analysis. Its view is not kept: it has some ten times the bytes, and memory that is kept for long takes longest to clean up. */
interface Known {
  readonly json: string | undefined;
  traces: Traces | undefined;
  shown: readonly Shown[];
}

export function createReadEvents(limit = KEPT_BYTES): ReadEvents {
  const kept = createLru<string, Known>({
    limit,
    weightOf: ({ json = '' }) => BYTES_OF_EVENT + BYTES_OF_CHARACTER * json.length,
  });
  const analyzers = Object.fromEntries(PLATFORMS.map((name) => [name, newAnalyzer(name)])) as Record<
    Platform,
    Analyzer
  >;
  let analysed = 0;
  let parsed: { readonly match: StoredMatch; readonly payload: Payload } | undefined;
  /** The view of the last event. It is the analyzer's, and the matches of an event mostly follow each other. */
  let viewed: { readonly known: Known; readonly lookup: ViewLookup | undefined } | undefined;

  /** A payload is parsed where it is read. Highlights and relevance of an event are found one after the other, so the last one is kept. */
  function payloadOf(match: StoredMatch): Payload {
    if (parsed?.match !== match) parsed = { match, payload: match.payload };
    return parsed.payload;
  }

  function lookupOf(known: Known, match: StoredMatch, at: number): ViewLookup | undefined {
    if (viewed?.known !== known) {
      analysed++;
      const view = analyzers[match.platform](payloadOf(match));
      viewed = { known, lookup: isRejection(view) ? undefined : new ViewLookup(view, at) };
    }
    const { lookup } = viewed;
    // The matches of one event are mostly stored together.
    if (lookup !== undefined && lookup.now !== at) viewed = { known, lookup: new ViewLookup(lookup.view, at) };
    return viewed.lookup;
  }

  function highlightsOf(known: Known, match: StoredMatch, query: Query, at: number): Shown['found'] {
    const before = known.shown.find((one) => one.query === query && one.at === at);
    if (before !== undefined) return before.found;
    const lookup = lookupOf(known, match, at);
    const found = lookup && highlights(query, lookup);
    if ((found?.length ?? 0) <= MOST_KEPT)
      known.shown = [{ query, at, found }, ...known.shown.slice(0, MOST_SHOWN - 1)];
    return found;
  }

  function knownOf({ platform, platformPostId, json }: StoredMatch): Known {
    const name = `${platform} ${platformPostId}`;
    const before = json === undefined ? undefined : kept.get(name);
    // An event may come again with another payload.
    if (before !== undefined && before.json === json) return before;
    const known: Known = { json, traces: undefined, shown: [] };
    if (json !== undefined) kept.set(name, known);
    return known;
  }

  return {
    of(match) {
      const known = knownOf(match);
      return {
        get traces() {
          known.traces ??= tracesOf(shownText(match.platform, payloadOf(match)));
          return known.traces;
        },
        highlights: (query, at) => highlightsOf(known, match, query, at.getTime()),
      };
    },
    get analysed() {
      return analysed;
    },
  };
}
