/** Whole texts that fixes lead to: what a caller sends instead of the text that was refused or warned about. */
import type { Diagnostic } from './diagnostic.ts';
import { addsWarnings, applyFix, describeFix, MAX_TRIED } from './fix.ts';
import type { Parsed } from './language.ts';

/** Undefined where the text is not read, because enough was read already. */
type Parse = (text: string) => Parsed | undefined;

/**
 * The text with a fix of each error applied, one after another; undefined when that does not make it a valid rule, or
 * when the rule would get a warning that it did not have.
 */
export function suggestionFor(text: string, parse: Parse): string | undefined {
  const before = parse(text)?.diagnostics ?? [];
  let fixed = text;
  for (let round = 0; round < MAX_TRIED; round++) {
    const parsed = parse(fixed);
    if (parsed === undefined) return undefined;
    const { diagnostics } = parsed;
    const errors = diagnostics.filter((one) => one.severity === 'error');
    if (errors.length === 0) return fixed === text || addsWarnings(diagnostics, [before]) ? undefined : fixed;
    const fix = errors.find((one) => one.fixes !== undefined)?.fixes?.[0];
    if (fix === undefined) return undefined;
    fixed = applyFix(fixed, fix);
  }
  return undefined;
}

export interface Suggestion {
  /** The whole text, without an error. */
  readonly value: string;
  readonly meaning: string;
}

/** The whole texts that the fixes of one diagnostic lead to, other errors mended too. */
export function suggestionsFor(text: string, diagnostic: Diagnostic, parse: Parse): Suggestion[] {
  return (diagnostic.fixes ?? []).flatMap((fix) => {
    const once = applyFix(text, fix);
    const value = parse(once)?.query === undefined ? suggestionFor(once, parse) : once;
    return value === undefined ? [] : [{ value, meaning: describeFix(text, fix) }];
  });
}
