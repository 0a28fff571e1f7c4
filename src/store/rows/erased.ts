/**
 * Posts that an account has erased from its previews. Each entry has the number of the newest row at that time: rows up to
 * it are hidden, and what arrives later shows again.
 */
import { decodeText } from './texts.ts';

/** The most entries of an account on a platform. One more, and all rows up to now are hidden by a single entry. */
export const MAX_ERASED = 1_000;
/** Stands for every post. An encoded post id is never empty. */
export const EVERY_POST = '';

export interface ErasedRow {
  readonly post_id: string;
  readonly number: number;
}

export interface Erased {
  isHidden(row: number, postId: string): boolean;
}

export function erasedOf(rows: readonly ErasedRow[]): Erased {
  const floor = rows.find(({ post_id }) => post_id === EVERY_POST)?.number ?? -1;
  const posts = new Map(
    rows.filter(({ post_id }) => post_id !== EVERY_POST).map(({ post_id, number }) => [decodeText(post_id), number]),
  );
  return { isHidden: (row, postId) => row <= floor || row <= (posts.get(postId) ?? -1) };
}

export interface WaitingErasure extends ErasedRow {
  /** The number of the last row that was searched for it. */
  readonly walked: number;
}

/** One pass through an account's rows: from where to where, and what to take out. */
export interface ErasurePass {
  readonly walked: number;
  readonly end: number;
  isErased(row: number, encodedPostId: string): boolean;
}

/** A pass that has begun is finished with its posts alone: those that came meanwhile share the next one. */
export function erasurePassOf(waiting: readonly WaitingErasure[]): ErasurePass {
  const walked = Math.max(...waiting.map((one) => one.walked));
  const now = waiting.filter((one) => one.walked === walked);
  const numbers = new Map(now.map(({ post_id, number }) => [post_id, number]));
  const isIn = (row: number, post: string): boolean => row <= (numbers.get(post) ?? -1);
  return {
    walked,
    end: Math.max(...now.map(({ number }) => number)),
    isErased: (row, post) => isIn(row, EVERY_POST) || isIn(row, post),
  };
}
