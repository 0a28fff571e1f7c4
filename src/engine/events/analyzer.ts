/** The analyzer of each platform: from a payload to the view that rules are matched on. */
import type { Platform } from '../../domain/platform.ts';
import { type Analyzer, type EventView, isRejection, type Rejection } from './event-view.ts';
import { pageAnalyzer, readPage } from './page-event.ts';
import { cutLater, newViewBuilder } from './view-builder.ts';
import { readPost, xAnalyzer } from './x-event.ts';

const ANALYZERS: Record<Platform, () => Analyzer> = { x: xAnalyzer, firehose: pageAnalyzer };
const READERS = { x: readPost, firehose: readPage } satisfies Record<Platform, unknown>;

/** Each caller makes its own analyzer: a view stays valid until its analyzer is used again. */
export const newAnalyzer = (platform: Platform): Analyzer => ANALYZERS[platform]();

/** Analyses one event that may be long, and yields the characters it has cut into words. The view is the event's own. */
export function* analyzeInSlices(platform: Platform, payload: unknown): Generator<number, EventView | Rejection> {
  const builder = newViewBuilder([]);
  const view = READERS[platform](builder, payload);
  if (!isRejection(view)) yield* cutLater(builder);
  return view;
}
