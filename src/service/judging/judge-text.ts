/** The texts on both ways: what a stranger wrote, on its way to the model, and what the model wrote, on its way to readers. */
import { createHash } from 'node:crypto';
import { hiddenIn } from '../../base/legible.ts';

/** Characters of a text that the model reads: more cost money and seldom change its mind. */
const MOST_TEXT = 2_000;
const MOST_INTENT = 2_000;
export const MOST_REASON = 200;

const UNSEEN = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029]+/gu;

/** On one line, without anything that cannot be seen. */
const seenText = (text: string, most: number): string =>
  text
    .slice(0, 2 * most)
    .toWellFormed()
    .replaceAll(UNSEEN, ' ')
    .slice(0, most)
    .toWellFormed();

/**
 * The question to the model, as JSON. There are no lists in it, so every bracket is a stranger's: brackets are escaped,
 * because some servers take `<|…|>` and `[INST]` in a message for the end of it.
 */
export const questionText = (intent: string, text: string): string =>
  JSON.stringify({ intent: seenText(intent, MOST_INTENT), text: seenText(text, MOST_TEXT) })
    .replaceAll('<', String.raw`\u003c`)
    .replaceAll('[', String.raw`\u005b`);

/** Two copies of a text differ in this: who passed it on, and by which link. */
const COPIED = /\brt @\w{1,50}:?|https?:\/\/\S{1,2000}/g;
const BETWEEN = /[^\p{L}\p{N}]+/gu;

/** Copies of a text get one digest when the same model holds them against the same intent. */
export function contentOf(intent: string, model: string, text: string): string {
  const words = seenText(text, MOST_TEXT).toLowerCase().replaceAll(COPIED, ' ').replaceAll(BETWEEN, ' ').trim();
  return createHash('sha256')
    .update(JSON.stringify([intent, model, words]))
    .digest('base64url');
}

/** Brackets and marks that some program takes for a link, a tag, a mention or code. */
const MARKUP = /[<>[\](){}`*_|~#@\\^$]+/g;
/** The places where a program would find an address in plain text. */
const ADDRESS = /:\/\/|(?<=[\p{L}\p{N}])\.(?=[\p{L}\p{N}])/gu;

/** The model's reason as plain text; undefined when it hides something or is too long. */
export function plainReason(reason: string): string | undefined {
  const text = reason.trim();
  if (text.length > MOST_REASON || !text.isWellFormed() || hiddenIn(text) !== undefined) return undefined;
  return text.replaceAll(MARKUP, ' ').replaceAll(ADDRESS, ' ').replaceAll(/\s+/g, ' ').trim();
}
