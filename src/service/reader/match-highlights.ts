/** The highlights of matches that were stored without them: they are found when a match is read, by the text that matched. */
import { createPauses } from '../../base/cooperate.ts';
import type { Match } from '../../domain/match.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { newAnalyzer } from '../../engine/events/analyzer.ts';
import { type Analyzer, isRejection } from '../../engine/events/event-view.ts';
import { highlights } from '../../engine/explain/highlights.ts';
import { ViewLookup } from '../../engine/one-rule/view-lookup.ts';
import type { Query } from '../../rules/query.ts';
import type { RuleText } from '../../rules/rule-text.ts';
import type { Store } from '../../store/store.ts';

/** Characters of events, and steps of highlights, between two pauses: a few milliseconds. */
const SLICE = 64 * 1024;

type QueryOf = (platform: Platform, text: RuleText) => Query | undefined;

/** The store, with the highlights of every match that is read from it. */
export function withHighlights(store: Store, queryOf: QueryOf): Store {
  const show = createShower(queryOf);
  const reads: Pick<Store, 'matches' | 'match' | 'matchesAfter' | 'owedMatches' | 'matchesAt' | 'stories'> = {
    async matches(query) {
      const page = await store.matches(query);
      await show(page.matches);
      return page;
    },
    async match(accountId, matchId) {
      const match = await store.match(accountId, matchId);
      if (match !== undefined) await show([match]);
      return match;
    },
    async matchesAfter(query) {
      const page = await store.matchesAfter(query);
      await show(page.matches);
      return page;
    },
    async stories(query) {
      const page = await store.stories(query);
      await show(page.stories.map(({ first }) => first));
      return page;
    },
    async owedMatches(...owed) {
      const matches = await store.owedMatches(...owed);
      await show(matches);
      return matches;
    },
    async matchesAt(positions) {
      const matches = await store.matchesAt(positions);
      await show(matches);
      return matches;
    },
  };
  const shown: Store = Object.create(store);
  return Object.assign(shown, reads);
}

/** Matches are not copied: their payloads are parsed when they are asked for. */
function createShower(queryOf: QueryOf): (matches: readonly Match[]) => Promise<void> {
  const analyzers = Object.fromEntries(PLATFORMS.map((name) => [name, newAnalyzer(name)])) as Record<
    Platform,
    Analyzer
  >;
  return async (matches) => {
    const pause = createPauses(SLICE);
    let last: { readonly json: string | undefined; readonly lookup: ViewLookup } | undefined;
    for (const match of matches) {
      const query = match.matchedBy && queryOf(match.platform, match.matchedBy);
      if (query === undefined) continue;
      // Matches of one event often stand together.
      if (last === undefined || last.json !== match.json) last = lookupOf(analyzers[match.platform], match);
      if (last === undefined) continue;
      const before = last.lookup.steps;
      Object.assign(match, { highlights: highlights(query, last.lookup) });
      const pausing = pause((match.json?.length ?? 0) + last.lookup.steps - before);
      if (pausing === undefined) continue;
      await pausing;
      // Others have used the analyzer meanwhile.
      last = undefined;
    }
  };
}

function lookupOf(analyze: Analyzer, { json, payload, createdAt }: Match) {
  const view = analyze(payload);
  return isRejection(view) ? undefined : { json, lookup: new ViewLookup(view, createdAt.getTime()) };
}
