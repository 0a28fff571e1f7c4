/** What reads old matches from objects, and what the database and the objects say of each other. */
import type { ObjectStore } from '../base/object-store.ts';
import type { Position } from './order.ts';

/** What the database has of an object. */
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
  /** What texts are marked with, for erasures by text. */
  readonly textKey: Uint8Array | undefined;
  /** Undefined when the object is not there. Throws `cold` when it cannot be read, or is not the one that was written. */
  file(object: Pick<ColdObject, 'key' | 'digest'>): Promise<ColdFile | undefined>;
  /** Undefined when the object, or its row, is not there. */
  payload(object: ColdObject, position: Position): Promise<string | undefined>;
}
