/** The reader of old matches from objects, and the types that the database and the objects share. */
import type { ObjectStore } from '../base/object-store.ts';
import type { Position } from './order.ts';

/** The row that the database has of an object. */
export interface ColdObject {
  readonly account: number;
  readonly first: Position;
  readonly last: Position;
  readonly matches: number;
  readonly bytes: number;
  readonly digest: string;
  readonly key: string;
}

/** A row of an object, by the names of its columns. */
export type ColdRow = Readonly<Record<string, unknown>> & { readonly position: bigint; readonly payload: string };

/** An object that was opened. Its rows are in groups, which are read whole. */
export interface ColdFile {
  /** The group that has the row of a position, if any has. */
  groupOf(position: Position): number | undefined;
  readonly groups: number;
  rows(group: number): Promise<ColdRow[]>;
  /** Payloads by position. */
  payloads(group: number): Promise<Map<Position, string>>;
}

export interface ColdReader {
  readonly objects: ObjectStore;
  /** The key of the marks of texts, for erasures by text. */
  readonly textKey: Uint8Array | undefined;
  /** Returns undefined when the object is gone. Throws `cold` when it is unreadable, or was not written so. */
  file(object: Pick<ColdObject, 'key' | 'digest'>): Promise<ColdFile | undefined>;
  /** Returns undefined when the object, or its row, is not there. */
  payload(object: ColdObject, position: Position): Promise<string | undefined>;
}
