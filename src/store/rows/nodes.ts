/** Rows of nodes. */
import type { NodeReport } from '../store.ts';
import { parseColumn } from './texts.ts';

export interface NodeRow {
  readonly id: string;
  readonly roles: string;
  readonly applied: number;
}

export const nodeOf = ({ id, roles, applied }: NodeRow): NodeReport => ({
  id,
  roles: parseColumn<string[]>(roles),
  applied,
});
