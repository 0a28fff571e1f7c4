/** What a part of a rule asks for, where the engine names it by a code: its names are no words. Pure. */
import { languageWords } from '../words/languages.ts';

const KINDS: Readonly<Record<string, string>> = {
  retweet: 'is a repost',
  reply: 'is a reply',
  quote: 'quotes another post',
  verified: 'is by a verified author',
  nullcast: 'is only an advertisement',
};

const THINGS: Readonly<Record<string, string>> = { video_link: 'has a video', geo: 'has a place' };

/** It is undefined where the label is words already. */
export function partWords(label: string): string | undefined {
  if (/^dr\b/.test(label)) return label.replace('dr', 'Domain Rating');
  const [, field, value] = /^(is|has|lang) has "(.*)"$/.exec(label) ?? [];
  if (field === undefined || value === undefined) return undefined;
  if (field === 'lang') return `language: ${languageWords(value) ?? value}`;
  return field === 'is' ? (KINDS[value] ?? `is: ${value}`) : (THINGS[value] ?? `has ${value}`);
}
