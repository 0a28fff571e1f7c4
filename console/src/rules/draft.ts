/** A rule as it stands in the editor, and what the languages say about it. */
import type { Diagnostic } from '../../../src/rules/diagnostic.ts';
import type { Language } from '../../../src/rules/language.ts';
import type { Platform, Rule } from '../data/queries.ts';
import type { ExampleRule } from './examples.ts';
import type { Languages } from './languages.ts';

/** Firehose's own switches; what is left out is left to the platform. */
export interface Flags {
  readonly quality?: boolean | undefined;
  readonly nsfw?: boolean | undefined;
}

/** What the platform does when it is told nothing. */
export const usualFlags = (shape: 'local' | 'upstream' | undefined): Flags =>
  shape === 'upstream' ? { quality: true, nsfw: false } : { quality: false, nsfw: true };

export interface Draft {
  readonly name: string;
  readonly intent: string;
  /** The platforms it is on, each with its text, which may still be empty. */
  readonly texts: Readonly<Partial<Record<Platform, string>>>;
  readonly flags: Flags;
}

export const PLATFORMS: readonly Platform[] = ['x', 'firehose'];
export const otherThan = (platform: Platform): Platform => (platform === 'x' ? 'firehose' : 'x');

export const EMPTY: Draft = { name: '', intent: '', texts: { x: '' }, flags: {} };

export const draftOfExample = ({ name, intent, texts }: ExampleRule): Draft => ({ ...EMPTY, name, intent, texts });

export function draftOf({ name, intent, platforms }: Rule): Draft {
  const texts = Object.fromEntries(Object.entries(platforms).map(([on, held]) => [on, held.translated_value]));
  return { name, intent, texts, flags: platforms.firehose?.options ?? {} };
}

export interface Checked {
  readonly isEmpty: boolean;
  readonly isValid: boolean;
  /** Spans are offsets into the text as it was typed. */
  readonly diagnostics: readonly Diagnostic[];
}

/** The server trims a text before it reads it; so does this. */
export function check(language: Language, text: string): Checked {
  const blanks = text.length - text.trimStart().length;
  const moved = ({ start, end }: { start: number; end: number }) => ({ start: start + blanks, end: end + blanks });
  if (text.trim() === '') return { isEmpty: true, isValid: false, diagnostics: [] };
  const diagnostics = language.parse(text.trim()).diagnostics.map((one) => ({
    ...one,
    span: moved(one.span),
    ...(one.fixes && { fixes: one.fixes.map((fix) => ({ ...fix, span: moved(fix.span) })) }),
  }));
  return { isEmpty: false, isValid: diagnostics.every(({ severity }) => severity !== 'error'), diagnostics };
}

/** Those of its texts that are rules already. */
export function validTexts(languages: Languages, { texts }: Draft): Partial<Record<Platform, string>> {
  const valid = PLATFORMS.filter((platform) => check(languages[platform], texts[platform] ?? '').isValid);
  return Object.fromEntries(valid.map((platform) => [platform, texts[platform]!.trim()]));
}

/** Why it cannot be saved; undefined when it can. */
export function obstacle(languages: Languages, draft: Draft): string | undefined {
  const on = PLATFORMS.filter((platform) => draft.texts[platform] !== undefined);
  if (draft.name.trim() === '') return 'Give it a name first.';
  if (on.length === 0) return 'Choose a platform first.';
  const checks = on.map((platform) => check(languages[platform], draft.texts[platform]!));
  if (checks.some(({ isEmpty }) => isEmpty)) return 'A platform has no text yet.';
  return checks.every(({ isValid }) => isValid) ? undefined : 'There are errors to mend first.';
}

/** The switches as the API takes them, where there is something to switch and somebody did. */
export const optionsOf = ({ texts, flags }: Pick<Draft, 'texts' | 'flags'>) =>
  texts.firehose === undefined || Object.keys(flags).length === 0 ? {} : { options: { firehose: flags } };
