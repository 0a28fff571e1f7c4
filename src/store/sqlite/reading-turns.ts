/**
 * SQLite reads synchronously. So after some rows an answer comes a turn of the event loop later, to one reader in each turn:
 * who reads slice after slice, and whatever it does with them, holds up nobody else.
 */
import { createTurns } from '../../base/cooperate.ts';
import type { Keeper } from './keeper.ts';
import type { Sql } from './sql.ts';

/** Rows, about, that are read in a turn: one or two milliseconds. */
export const ROWS_A_TURN = 250;

export function readInTurns(run: Keeper<Sql>['run']): Keeper<Sql>['run'] {
  const pause = createTurns(ROWS_A_TURN);
  return async (work) => {
    let rows = 0;
    const answer = await run((sql, db) => {
      const found = work(sql, db);
      rows = sql.rowsRead();
      return found;
    });
    const pausing = pause(rows);
    if (pausing !== undefined) await pausing;
    return answer;
  };
}

/**
 * Asked once for all that happens in one turn of the event loop: the question costs more than most answers. A write of
 * our own is seen at once, since its caller may look in the same turn.
 */
export function sharedVersion(ask: () => Promise<string>): { version(): Promise<string>; forget(): void } {
  let asked: Promise<string> | undefined;
  const forget = () => {
    asked = undefined;
  };
  return {
    version() {
      if (asked === undefined) {
        asked = ask();
        setImmediate(forget);
      }
      return asked;
    },
    forget,
  };
}
