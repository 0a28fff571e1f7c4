/**
 * Limits on what a source may yield. Every page of every source passes here before it is stored. A page over a limit is
 * skipped and its cursor moves on, so that no item can stop a source or be read again for ever.
 */
import type { Page } from './page.ts';
import type { Post } from './post.ts';
import type { Unread } from './source.ts';

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

/** The length of the host in an address, whether the address can be parsed or not. */
function hostLength(url: string): number {
  const authority = url.match(/^[a-z][a-z0-9+.-]*:[/\\]*([^/\\?#]*)/i)?.[1] ?? '';
  return authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d*$/, '').length;
}

/** Why a post is skipped, which is stored with the same fields as its page. */
const postProblem = ({ data, url }: Post): string | undefined =>
  pageProblem({ id: data.id, ...(url !== undefined && { url }), source: { name: '', original: null } });

export interface WithinLimits {
  readonly pages: Page[];
  readonly posts: Post[];
  /** The others, with their reasons; undefined when there are none. */
  readonly skipped: Unread | undefined;
}

/** Parts the events to store from those over a limit. An event that is over it as a page and as a post counts once. */
export function withinLimits(pages: readonly Page[], posts: readonly Post[] = []): WithinLimits {
  const problems = new Map<string, string>();
  const isWithin = (id: string, problem: string | undefined): boolean => {
    if (problem !== undefined) problems.set(id, problem);
    return problem === undefined;
  };
  const kept = {
    pages: pages.filter((page) => isWithin(page.id, pageProblem(page))),
    posts: posts.filter((post) => isWithin(post.data.id, postProblem(post))),
  };
  return { ...kept, skipped: problems.size === 0 ? undefined : skippedFor([...problems.values()]) };
}

function skippedFor(problems: readonly string[]): Unread {
  const counts = Map.groupBy(problems, (problem) => problem);
  const reasons = [...counts].map(([problem, { length }]) => `${length} with ${problem}`);
  const what = problems.length === 1 ? '1 page' : `${problems.length} pages`;
  return { count: problems.length, message: `Skipped ${what}: ${reasons.join(', ')}.` };
}
