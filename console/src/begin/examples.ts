/** Posts and pages that say by example what is meant. Pure. */
import type { Match, Platform } from '../data/queries.ts';
import { readEvent } from '../event/reading.ts';
import { readPasted } from '../rules/pasted-event.ts';

type Payload = Match['payload'];

export interface Example {
  /** It is undefined for text that was pasted, which may be of either platform. */
  readonly platform?: Platform;
  readonly payload?: Payload;
  readonly text: string;
}

export const exampleOf = (platform: Platform, payload: Payload): Example => ({
  platform,
  payload,
  text: readEvent(platform, payload, [])
    .passages.filter(({ role }) => role !== 'detail' && role !== 'removed')
    .map(({ text }) => text)
    .join('\n'),
});

/** Blank lines part what was pasted; without any, each line is an example. */
export function pastedExamples(pasted: string): Example[] {
  const lines = pasted
    .trim()
    .split('\n')
    .map((line) => line.trim());
  const texts = lines.includes('')
    ? lines
        .map((line) => line || '\n')
        .join('\n')
        .split('\n\n\n')
    : lines;
  return texts.map((text) => ({ text: text.trim() })).filter(({ text }) => text !== '');
}

/** An example as an event of a platform. One of the other platform is known there by its text. */
export const eventOn = (platform: Platform, { platform: of, payload, text }: Example): Payload =>
  of === platform && payload !== undefined ? payload : readPasted(platform, text);

const ASKING =
  /^(?:please )?(?:tell|show|alert|notify|warn) me (?:when|if|about|of|that)\s+|^(?:find|watch|track) (?:for )?/i;
const LONGEST_NAME = 60;

/** A short name for a rule that was asked for in a sentence. */
export function nameOf(sentence: string): string {
  const said = sentence
    .trim()
    .replace(ASKING, '')
    .replace(/[.!?\s]+$/, '');
  const cut = said.slice(0, LONGEST_NAME);
  const short = said === cut ? said : `${cut.slice(0, cut.lastIndexOf(' '))} …`;
  return short.charAt(0).toUpperCase() + short.slice(1);
}
