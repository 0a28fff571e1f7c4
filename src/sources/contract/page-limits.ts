/**
 * Limits on what a source may yield. Every page of every source passes here before it is stored. A page over a limit is
 * skipped and its cursor moves on, so that no item can stop a source or be read again for ever.
 */
import type { Page } from './page.ts';

export const MAX_ID = 1_024;
export const MAX_URL = 8_192;
/** The longest host name of DNS. */
export const MAX_HOST = 253;
export const MAX_PAGE_TITLE = 8_192;

/** Why a page is skipped; undefined when it is within the limits. */
export function pageProblem({ id, url, ...page }: Page): string | undefined {
  if (id.length > MAX_ID) return `an id of more than ${MAX_ID} characters`;
  if (url !== undefined && url.length > MAX_URL) return `a url of more than ${MAX_URL} characters`;
  if (url !== undefined && hostLength(url) > MAX_HOST) return `a host of more than ${MAX_HOST} characters`;
  const title = page['title'];
  if (typeof title === 'string' && title.length > MAX_PAGE_TITLE)
    return `a title of more than ${MAX_PAGE_TITLE} characters`;
  return undefined;
}

/** What stands where the host of an address stands, whether it can be parsed or not. */
function hostLength(url: string): number {
  const authority = url.match(/^[a-z][a-z0-9+.-]*:[/\\]*([^/\\?#]*)/i)?.[1] ?? '';
  return authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d*$/, '').length;
}

/** Splits pages into those to store and a sentence about the others; undefined when there are none. */
export function withinLimits(pages: readonly Page[]): { stored: Page[]; skipped: string | undefined } {
  const stored: Page[] = [];
  const counts = new Map<string, number>();
  for (const page of pages) {
    const problem = pageProblem(page);
    if (problem === undefined) stored.push(page);
    else counts.set(problem, (counts.get(problem) ?? 0) + 1);
  }
  if (counts.size === 0) return { stored, skipped: undefined };
  const reasons = [...counts].map(([problem, count]) => `${count} with ${problem}`);
  return { stored, skipped: `Skipped ${plural(pages.length - stored.length)}: ${reasons.join(', ')}.` };
}

const plural = (count: number): string => (count === 1 ? '1 page' : `${count} pages`);
