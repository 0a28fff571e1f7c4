/** The reasons of `coverage` in words. */
import { COVERAGE_REASONS } from '../domain/coverage-reasons.ts';

const WORDS: Readonly<Record<string, string>> = COVERAGE_REASONS;

/** For people, such as "A source cannot be reached (news)." A reason that this version does not know is returned as it is. */
export function explainReason(reason: string): string {
  const [code = '', name] = reason.split(':', 2);
  const words = Object.hasOwn(WORDS, code) ? WORDS[code] : undefined;
  if (words === undefined) return reason;
  return name === undefined ? words : words.replace(/\.?$/, ` (${name}).`);
}
