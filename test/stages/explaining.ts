/** Highlights and explanations of one query on one event, in one go. */
import type { Highlight } from '../../src/domain/match.ts';
import type { EventView } from '../../src/engine/events/event-view.ts';
import { type Explanation, explain } from '../../src/engine/explain/explain.ts';
import { highlights } from '../../src/engine/explain/highlights.ts';
import { ViewLookup } from '../../src/engine/one-rule/view-lookup.ts';
import type { Query } from '../../src/rules/query.ts';

export const highlightsOf = (query: Query, view: EventView, now: number): Highlight[] =>
  highlights(query, new ViewLookup(view, now));

export const explanationOf = (query: Query, view: EventView, now: number): Explanation =>
  explain(query, new ViewLookup(view, now));
