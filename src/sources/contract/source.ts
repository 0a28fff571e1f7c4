/**
 * A source yields events and knows nothing of rules. Every source keeps this contract, whether it holds a connection
 * open, polls on a schedule or reads a file: it is opened, resumes from a cursor, yields pages, and stops on a signal. It
 * throws when it breaks; `run.ts` then opens it again from the cursor of what was stored.
 */
import type { Browser } from '../fetch/browser.ts';
import type { FetchContext } from '../fetch/rounds.ts';
import type { DocumentReader } from '../reading/document-reader.ts';
import type { Page } from './page.ts';
import type { Post } from './post.ts';

export interface Source {
  /** Unique among all sources; its cursors go by this name. */
  readonly name: string;
  readonly kind: string;
  /** How many milliseconds of a break it can fetch afterwards, from its cursor; none when it is left out. */
  readonly replaysMs?: number;
  /** Yields from the stored cursor on. Ends when nothing more can come, or the signal aborts. */
  read(context: SourceContext): AsyncIterable<SourceArrival>;
}

/** Pages, the cursor to resume from once they are stored, and how complete it is by then; each may be missing. */
export interface SourceArrival {
  readonly pages: readonly Page[];
  /** The posts of these pages, in X's shape. */
  readonly posts?: readonly Post[];
  readonly cursor?: SourceCursor;
  /** Everything up to then has come, once these pages are stored. */
  readonly reaches?: Date;
  /** The number of addresses that a source which visits addresses could not read at its last visit. */
  readonly failing?: { readonly addresses: number; readonly of: number };
  /** Posts that their platform announced to be deleted: the ids of their pages, without a version. */
  readonly deleted?: readonly string[];
  /** Spans that the source knows to be missing, or to have been. They are noted before the cursor moves past them. */
  readonly gaps?: readonly SourceGap[];
  /** Items that came with these and cannot be read. They become a gap before the cursor moves past them. */
  readonly unread?: Unread;
  /** The reason why not all came, after a visit that failed although it brought these. */
  readonly problem?: string | undefined;
}

export interface Unread {
  readonly count: number;
  /** A sentence for the operator: where they came and what is wrong with them. */
  readonly message: string;
  /** None of them is older; without it, they came after all that is known to be complete. */
  readonly since?: Date;
}

/** A source may bring events this late, in milliseconds: a gap of it begins so much earlier. */
export const LEAD_MS = 10_000;

export interface SourceGap {
  readonly from: Date;
  readonly to: Date;
  /**
   * `source_unwitnessed`: read from one host alone, where two should vouch; `source_witnessed`: the second came later;
   * `source_overrun`: more was published between two visits than the source lists; `source_unread`: some of what came
   * cannot be read.
   */
  readonly cause:
    | 'source_down'
    | 'source_blind'
    | 'source_unwitnessed'
    | 'source_witnessed'
    | 'source_overrun'
    | 'source_unread';
  /** The missing events have come since. */
  readonly recovered: boolean;
}

export interface SourceCursor {
  /** A source that visits many addresses has a cursor for each: this names the address. */
  readonly key?: string;
  readonly value: string;
}

/** The tools that a source is given. */
export interface SourceContext extends FetchContext {
  /** Loads pages that are made by scripts, where the operator has a browser for it. */
  readonly browser?: Browser | undefined;
  /** Reads feeds and pages, in a thread of its own. */
  readonly reader: DocumentReader;
  /** The value that was stored last, under this key or under none. */
  cursor(key?: string): Promise<string | undefined>;
  /** Some of what was published during the last break cannot be fetched any more. */
  lost(): void;
}

/**
 * Limits on what a source may yield. Every page of every source passes here before it is stored. A page over a limit is
 * skipped and its cursor moves on, so that no item can stop a source or be read again for ever.
 */

const MAX_ID = 1_024;
const MAX_URL = 8_192;
/** The longest host name of DNS. */
const MAX_HOST = 253;
const MAX_PAGE_TITLE = 8_192;

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

interface WithinLimits {
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
