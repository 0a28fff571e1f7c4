/** Whole texts that fixes lead to: what a caller sends instead of the text that was refused or warned about. */
import type { Diagnostic, Fix } from './diagnostic.ts';
import { applyFix, describeFix, endsWorse, MAX_TRIED } from './fix.ts';
import type { Parsed } from './language.ts';

/** Returns undefined when the text is not read, because enough was read already. */
type Parse = (text: string) => Parsed | undefined;

/** Each of these is a slip of its own, so the fixes of several are applied at once. Others are read anew after each. */
const APART: ReadonlySet<string> = new Set([
  'other-syntax',
  'odd-blank',
  'curly-quotes',
  'unknown-field',
  'other-language',
  'unknown-label',
  'wrong-case',
]);

const isApart = ({ severity, code }: Diagnostic) => severity === 'error' || APART.has(code);

/** The text with these fixes, of which the first counts where two meet. */
function applyAll(text: string, fixes: readonly Fix[]): string {
  const chosen: Fix[] = [];
  for (const fix of fixes) {
    const { start, end } = fix.span;
    if (chosen.every(({ span }) => end < span.start || span.end < start)) chosen.push(fix);
  }
  return chosen.toSorted((one, other) => other.span.start - one.span.start).reduce(applyFix, text);
}

/** Applies the first fixes of all errors and slips at once or, if there is none, of the first other remark. */
function mendedOnce(text: string, diagnostics: readonly Diagnostic[], chosen?: Fix): string {
  const first = diagnostics.filter(isApart).flatMap(({ fixes = [] }) => fixes.slice(0, 1));
  const rest = diagnostics.find(({ fixes }) => fixes !== undefined)?.fixes?.slice(0, 1) ?? [];
  return applyAll(text, [
    ...(chosen === undefined ? [] : [chosen]),
    ...(first.length > 0 || chosen !== undefined ? first : rest),
  ]);
}

/**
 * The text with the first fix of each remark applied, until nothing is left to mend. Undefined when that does not make it a valid
 * rule, or when the rule would match nothing or everything.
 */
export function suggestionFor(text: string, parse: Parse): string | undefined {
  const before = parse(text)?.diagnostics ?? [];
  const seen = new Set<string>();
  let fixed = text;
  for (let round = 0; round < MAX_TRIED; round++) {
    const parsed = parse(fixed);
    if (parsed === undefined) return undefined;
    seen.add(fixed);
    const next = mendedOnce(fixed, parsed.diagnostics);
    // When no single fix is proven, all of them together may make it a rule.
    const all = parsed.query === undefined ? parsed.tidied : undefined;
    const unseen = [next, all].find((one) => one !== undefined && !seen.has(one));
    if (unseen !== undefined) {
      fixed = unseen;
      continue;
    }
    const isUseful = parsed.query !== undefined && !endsWorse(parsed.diagnostics, before);
    return fixed === text || !isUseful ? undefined : fixed;
  }
  return undefined;
}

export interface Suggestion {
  /** The whole text, without an error. */
  readonly value: string;
  readonly meaning: string;
}

/** The whole texts that the fixes of one diagnostic lead to, everything else that is known to be wrong mended too. */
export function suggestionsFor(text: string, diagnostic: Diagnostic, parse: Parse): Suggestion[] {
  const diagnostics = parse(text)?.diagnostics ?? [diagnostic];
  return (diagnostic.fixes ?? []).flatMap((fix) => {
    const together = [mendedOnce(text, diagnostics, fix), applyFix(text, fix)];
    const value = together
      .map((once) => suggestionFor(once, parse) ?? (parse(once)?.query === undefined ? undefined : once))
      .find((one) => one !== undefined);
    return value === undefined ? [] : [{ value, meaning: describeFix(text, fix) }];
  });
}
