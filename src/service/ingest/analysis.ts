/** From a payload to its view. A short event is analysed at once; a long one in slices, so that other work runs in between. */
import { inSlices } from '../../base/cooperate.ts';
import type { JsonRecord } from '../../base/json-fields.ts';
import type { Platform } from '../../domain/platform.ts';
import { analyzeInSlices, newAnalyzer } from '../../engine/events/analyzer.ts';
import type { EventView, Rejection } from '../../engine/events/event-view.ts';
import type { ViewLookup } from '../../engine/one-rule/view-lookup.ts';

/** An event of more characters is analysed, matched and shown in slices. */
const LONG_EVENT = 32 * 1024;
/** Characters, or words, between two pauses: some ten milliseconds where each character is a word, as in Chinese. */
const CHARACTERS_AT_ONCE = 24 * 1024;
const WORDS_AT_ONCE = 32 * 1024;
/** Texts stand no deeper in a payload: `data.note_tweet.text`, `diff.chunks.0.text`. */
const DEPTH = 4;

/** No text up to this length is that of a long event: JSON takes a character at least for each of a value. */
export const mayBeLong = (json: string): boolean => json.length > LONG_EVENT;

export const isLong = (payload: unknown): boolean => charactersIn(payload, DEPTH) > LONG_EVENT;

/** The view belongs to the event: it stays valid. */
export const analyzeLong = (platform: Platform, payload: unknown): Promise<EventView | Rejection> =>
  inSlices(analyzeInSlices(platform, payload), CHARACTERS_AT_ONCE);

/** Answers a promise for a long event. The view of a short one is valid until the next event is analysed. */
export function createAnalysis(platform: Platform) {
  const analyze = newAnalyzer(platform);
  return (payload: unknown): EventView | Rejection | Promise<EventView | Rejection> =>
    isLong(payload) ? analyzeLong(platform, payload) : analyze(payload);
}

/** Has what highlights need of a long event worked out in slices; of a short one they work it out themselves. */
export async function prepareLookup(lookup: ViewLookup): Promise<void> {
  if (lookup.view.words.count > WORDS_AT_ONCE || lookup.view.pieces.some(({ text }) => text.length > LONG_EVENT))
    await inSlices(lookup.prepare(), WORDS_AT_ONCE);
}

function charactersIn(value: unknown, depth: number): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null || depth === 0) return 0;
  let sum = 0;
  if (Array.isArray(value)) for (const one of value) sum += charactersIn(one, depth - 1);
  else for (const name in value) sum += charactersIn((value as JsonRecord)[name], depth - 1);
  return sum;
}
