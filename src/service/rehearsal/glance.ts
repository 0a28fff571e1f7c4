/**
 * Which clause of a rule a post fails, seen at a glance where that is enough: a word that stands in none of its texts is not
 * among its words. Most posts match nothing, and this is a tenth of the work of analysing one.
 */
import { textFinder } from '../../base/text-finder.ts';
import type { RuleClause } from '../../rules/analysis/placed-query.ts';
import type { Query } from '../../rules/query.ts';
import { fold } from '../../rules/x/words.ts';
import type { PostGlance } from '../../sources/contract/post.ts';

/** The one clause that fails, or `several`; undefined when that cannot be said, and when none is known to fail. */
export function failedAtGlance(clauses: readonly RuleClause[], glance: PostGlance): number | 'several' | undefined {
  const folded = { ...glance, texts: glance.texts.map(fold) };
  let failed: number | undefined;
  let isOpen = false;
  for (let number = 0; number < clauses.length; number++) {
    const holds = holdsAtGlance(clauses[number]!.query, folded);
    if (holds === undefined) isOpen = true;
    if (holds !== false) continue;
    if (failed !== undefined) return 'several';
    failed = number;
  }
  return isOpen ? undefined : failed;
}

/** Returns undefined when it cannot be said. */
function holdsAtGlance(query: Query, glance: PostGlance): boolean | undefined {
  switch (query.kind) {
    case 'everything':
      return true;
    case 'nothing':
    case 'upstream':
      return false;
    case 'not': {
      const holds = holdsAtGlance(query.query, glance);
      return holds === undefined ? undefined : !holds;
    }
    case 'all':
      return joined(query.of, glance, false);
    case 'any':
      return joined(query.of, glance, true);
    case 'term':
      return hasTerm(query.field, query.term, glance);
    case 'phrase':
    case 'literal':
      return query.field === 'text' && query.terms.some((term) => term !== null && !mayHaveWord(term, glance))
        ? false
        : undefined;
    default:
      return undefined;
  }
}

/** One part that is `decisive` decides; without one, all must be known. */
function joined(parts: readonly Query[], glance: PostGlance, decisive: boolean): boolean | undefined {
  let isOpen = false;
  for (const part of parts) {
    const holds = holdsAtGlance(part, glance);
    if (holds === decisive) return decisive;
    if (holds === undefined) isOpen = true;
  }
  return isOpen ? undefined : !decisive;
}

function hasTerm(field: string, term: string, glance: PostGlance): boolean | undefined {
  switch (field) {
    case 'text':
      return mayHaveWord(term, glance) ? undefined : false;
    case 'lang':
      return glance.language === undefined ? undefined : glance.language === term;
    case 'is':
      return glance.is.includes(term);
    case 'has':
      return glance.has?.includes(term);
    default:
      return undefined;
  }
}

function mayHaveWord(word: string, { texts }: PostGlance): boolean {
  const finder = textFinder(word);
  return texts.some((text) => {
    let isWord = false;
    finder.each(text, (at) => {
      isWord = !isInside(text, at, at + word.length);
      return !isWord;
    });
    return isWord;
  });
}

/** Whether what stands here is surely a part of a longer word: a Latin letter goes on with one. */
const isInside = (text: string, start: number, end: number): boolean =>
  (isLetter(text.charCodeAt(start)) && isLetter(text.charCodeAt(start - 1))) ||
  (isLetter(text.charCodeAt(end - 1)) && isLetter(text.charCodeAt(end)));

const isLetter = (unit: number): boolean => unit >= 0x61 && unit <= 0x7a;
