/** The reasons of `coverage` in words. */
import { COVERAGE_REASONS } from './api.ts';

/** For people, such as "A source cannot be reached (news)." A reason that this version does not know is returned as it is. */
export function explainReason(reason: string): string {
  const [code = '', name] = reason.split(':', 2);
  const words = Object.hasOwn(COVERAGE_REASONS, code) ? COVERAGE_REASONS[code] : undefined;
  if (words === undefined) return reason;
  return name === undefined ? words : words.replace(/\.?$/, () => ` (${name}).`);
}
