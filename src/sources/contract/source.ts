/**
 * A source yields events and knows nothing of rules. Every source keeps this contract, whether it holds a connection
 * open, polls on a schedule or reads a file: it is opened, resumes from a cursor, yields pages, and stops on a signal. It
 * throws when it breaks; `run.ts` then opens it again from the cursor of what was stored.
 */
import type { Browser } from '../fetch/browser.ts';
import type { FetchContext } from '../fetch/fetch-context.ts';
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
