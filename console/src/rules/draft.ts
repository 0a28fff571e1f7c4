/** A rule in the editor, and its checks by the languages. */
import type { Diagnostic } from '../../../src/rules/diagnostic.ts';
import { applyFix } from '../../../src/rules/fix.ts';
import type { Language } from '../../../src/rules/language.ts';
import type { Platform, Rule } from '../data/queries.ts';
import { PLATFORM_WORDS } from '../ui/platform-badge.tsx';
import type { ExampleRule } from './examples.ts';
import type { Languages } from './languages.ts';

/** Firehose's options. The platform's default applies to an option that is left out. */
export interface Flags {
  readonly quality?: boolean | undefined;
  readonly nsfw?: boolean | undefined;
}

/** The platform's defaults. */
export const usualFlags = (shape: 'local' | 'upstream' | undefined): Flags =>
  shape === 'upstream' ? { quality: true, nsfw: false } : { quality: false, nsfw: true };

export interface Draft {
  readonly name: string;
  readonly intent: string;
  /** The rule's platforms, each with its text, which may be empty. */
  readonly texts: Readonly<Partial<Record<Platform, string>>>;
  readonly flags: Flags;
  /** Ids of the sources that a new rule is limited to. */
  readonly sources?: readonly string[];
}

export const PLATFORMS: readonly Platform[] = ['x', 'firehose'];
export const otherThan = (platform: Platform): Platform => (platform === 'x' ? 'firehose' : 'x');

export const EMPTY: Draft = { name: '', intent: '', texts: { x: '' }, flags: {} };

export const draftOfExample = ({ name, intent, texts }: ExampleRule): Draft => ({ ...EMPTY, name, intent, texts });

export function draftOf({ name, intent, platforms }: Rule): Draft {
  const texts = Object.fromEntries(Object.entries(platforms).map(([on, held]) => [on, held.translated_value]));
  return { name, intent, texts, flags: platforms.firehose?.options ?? {} };
}

/** Whether what the browser has kept is a draft. */
export function isDraft(value: unknown): value is Draft {
  if (typeof value !== 'object' || value === null) return false;
  const { name, intent, texts, flags } = value as Partial<Record<keyof Draft, unknown>>;
  return (
    typeof name === 'string' &&
    typeof intent === 'string' &&
    typeof flags === 'object' &&
    typeof texts === 'object' &&
    texts !== null &&
    Object.entries(texts).every(([on, text]) => PLATFORMS.includes(on as Platform) && typeof text === 'string')
  );
}

export const differs = (one: Draft, other: Draft): boolean => JSON.stringify(one) !== JSON.stringify(other);

const LONGEST_NAME = 60;

/** The words that a rule looks for, as a name: "volcano, lava". Empty while nothing is written. */
export function proposedName({ texts }: Draft): string {
  const text = PLATFORMS.map((platform) => texts[platform] ?? '').find((one) => one.trim() !== '') ?? '';
  const wanted = text.replaceAll(/(?:-|\bNOT\s+)(?:\([^)]*\)|"[^"]*"|\S+)/g, ' ');
  const words = wanted.match(/"[^"]+"|[\p{L}\p{N}_:#@$'-]+/gu) ?? [];
  const plain = words
    .filter((word) => !/^(AND|OR|NOT)$/.test(word) && !/^(lang|is|has|sample|language|dr|recent|page_type):/.test(word))
    .map((word) => word.replaceAll('"', '').replace(/^[a-z_]+:/, ''))
    .filter((word) => /[\p{L}\p{N}]/u.test(word));
  const name = [...new Set(plain)].slice(0, 4).join(', ');
  return name === '' ? '' : name.charAt(0).toUpperCase() + name.slice(1, LONGEST_NAME);
}

export interface Checked {
  readonly isEmpty: boolean;
  readonly isValid: boolean;
  /** Spans are offsets into the typed text. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Trims the text before parsing it, as the server does. */
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

/** The texts that are valid rules. */
export function validTexts(languages: Languages, { texts }: Draft): Partial<Record<Platform, string>> {
  const valid = PLATFORMS.filter((platform) => check(languages[platform], texts[platform] ?? '').isValid);
  return Object.fromEntries(valid.map((platform) => [platform, texts[platform]!.trim()]));
}

/** For each text that is not valid, the text with the first fix that is offered, where that is a valid rule. */
export function offeredTexts(languages: Languages, { texts }: Draft): Partial<Record<Platform, string>> {
  const offered = PLATFORMS.flatMap((platform): [Platform, string][] => {
    const text = texts[platform] ?? '';
    const { isEmpty, isValid, diagnostics } = check(languages[platform], text);
    if (isEmpty || isValid) return [];
    const fixed = diagnostics.flatMap(({ severity, fixes = [] }) => (severity === 'error' ? fixes : [])).slice(0, 1);
    return fixed
      .map((fix) => applyFix(text, fix).trim())
      .filter((value) => check(languages[platform], value).isValid)
      .map((value) => [platform, value]);
  });
  return Object.fromEntries(offered);
}

/** Why the draft cannot be saved; undefined if it can. */
export function obstacle(languages: Languages, draft: Draft): string | undefined {
  const on = PLATFORMS.filter((platform) => draft.texts[platform] !== undefined);
  if (on.length === 0) return 'Choose a platform first.';
  const checks = on.map((platform) => ({ platform, ...check(languages[platform], draft.texts[platform]!) }));
  const empty = checks.find(({ isEmpty }) => isEmpty);
  if (empty !== undefined) return `Write the rule for ${PLATFORM_WORDS[empty.platform]} first.`;
  const wrong = checks.find(({ isValid }) => !isValid);
  if (wrong !== undefined) return `Fix the errors in the rule for ${PLATFORM_WORDS[wrong.platform]} first.`;
  return draft.name.trim() === '' ? 'Enter a name first.' : undefined;
}

/** The options in the API's format; nothing if the rule has no firehose text or no option was set. */
export const optionsOf = ({ texts, flags }: Pick<Draft, 'texts' | 'flags'>): { options?: { firehose: Flags } } =>
  texts.firehose === undefined || Object.keys(flags).length === 0 ? {} : { options: { firehose: flags } };
