/**
 * The column that stands in the place of a payload whose bytes lie in objects: an erasure needs it without reading
 * them. A payload is a JSON object, and this is a list: the marks of its texts, and the ids of the posts that it
 * carries.
 */
import type { Payload } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import { carriedPosts, comparedTexts, textMark } from './carried.ts';
import { parseColumn } from './texts.ts';

type ColdText = readonly [marks: readonly string[], carried: readonly string[]];

export const isCold = (payload: string): boolean => payload.startsWith('[');

/** Without a key nothing is erased by its text. */
export function coldText(platform: Platform, json: string, postId: string, textKey: Uint8Array | undefined): string {
  const payload = parseColumn<Payload>(json);
  const marks = textKey === undefined ? [] : comparedTexts(platform, payload).map((text) => textMark(textKey, text));
  const text: ColdText = [marks, carriedPosts(platform, payload, postId).map((one) => one.postId)];
  return JSON.stringify(text);
}

export const coldMarks = (text: string): readonly string[] => parseColumn<ColdText>(text)[0];

export const coldCarried = (text: string): readonly string[] => parseColumn<ColdText>(text)[1];
