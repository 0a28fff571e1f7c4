/**
 * Fixes are edits. One is offered only where it was tried: applied alone it takes an error away (or, on a warning, that
 * warning) and adds none. So fixes applied one after another always end, and where every error has one, in a valid rule.
 */
import type { Diagnostic, Fix } from './diagnostic.ts';
import type { Parsed } from './language.ts';

/** Trying a fix costs a parse; rubbish with a thousand errors does not get a thousand of them. */
const MAX_TRIED = 16;

export function applyFix(text: string, fix: Fix): string {
  return text.slice(0, fix.span.start) + fix.text + text.slice(fix.span.end);
}

/** Keeps the fixes that hold what a fix promises. `read` parses without offering fixes. */
export function keepProvenFixes(
  text: string,
  diagnostics: readonly Diagnostic[],
  read: (text: string) => Parsed,
): Diagnostic[] {
  let tried = 0;
  return diagnostics.map((diagnostic) => {
    if (diagnostic.fix === undefined) return diagnostic;
    if (tried++ < MAX_TRIED && helps(diagnostic, diagnostics, read(applyFix(text, diagnostic.fix)).diagnostics))
      return diagnostic;
    const { fix: _, ...rest } = diagnostic;
    return rest;
  });
}

function helps(mended: Diagnostic, before: readonly Diagnostic[], after: readonly Diagnostic[]): boolean {
  const alike = (one: Diagnostic) => one.code === mended.code;
  const errors = (list: readonly Diagnostic[]) => list.filter((one) => one.severity === 'error').length;
  if (mended.severity === 'error') return errors(after) < errors(before);
  return errors(after) <= errors(before) && after.filter(alike).length < before.filter(alike).length;
}

/** The text with every offered fix applied, one after another, or undefined when that does not make it valid. */
export function suggestionFor(text: string, parse: (text: string) => Parsed): string | undefined {
  let fixed = text;
  for (let round = 0; round < MAX_TRIED; round++) {
    const { diagnostics } = parse(fixed);
    const errors = diagnostics.filter((one) => one.severity === 'error');
    if (errors.length === 0) return fixed === text ? undefined : fixed;
    const fix = errors.find((one) => one.fix !== undefined)?.fix;
    if (fix === undefined) return undefined;
    fixed = applyFix(fixed, fix);
  }
  return undefined;
}
