/** Rows of nodes. */
import type { NodeReport } from '../store.ts';
import { readJson } from './texts.ts';

export interface NodeRow {
  readonly id: string;
  readonly roles: string;
  readonly applied: number;
}

export const nodeOf = ({ id, roles, applied }: NodeRow): NodeReport => ({
  id,
  roles: readJson<string[]>(roles),
  applied,
});
