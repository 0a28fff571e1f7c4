/**
 * The judge's spending, by day and by month. A call is counted with the most that it may cost before it is made, and
 * what it did not cost is given back after it. So a call whose process dies counts as spent in full, and no limit is
 * ever passed.
 */
import type { JudgeLimit, JudgeSpending } from '../../../domain/match.ts';
import type { Db } from '../../db.ts';
import { storeTime, timeGiven } from '../../rows/locks.ts';

export interface JudgeSpendingStore {
  /** Counts one call of at most `money`. Undefined, and nothing is counted, where that would pass a limit. */
  reserveJudgeCall(money: number, limits: readonly JudgeLimit[], now: Date): Promise<JudgeReservation | undefined>;
  /** Records what the call really cost. A failed one must not be repeated: it would give back twice. */
  settleJudgeCall(reserved: JudgeReservation, used: Omit<JudgeSpending, 'calls'>): Promise<void>;
  judgeSpending(now: Date): Promise<Record<JudgeLimit['per'], JudgeSpending>>;
}

export interface JudgeReservation {
  /** The day and the month that it counts in. */
  readonly spans: readonly string[];
  readonly money: number;
}

type SpendingRow = JudgeSpending & { readonly span: string };

const ROWS = `SELECT span, calls, money, input_tokens AS "inputTokens", output_tokens AS "outputTokens"
  FROM judge_spending WHERE span = ANY($1) ORDER BY span`;
const NOTHING: JudgeSpending = { calls: 0, money: 0, inputTokens: 0, outputTokens: 0 };

export const spendingReads = (db: Db): Pick<JudgeSpendingStore, 'judgeSpending'> => ({
  async judgeSpending(now) {
    const spans = await spansNow(db, now);
    const rows = await db.rows<SpendingRow>(ROWS, [Object.values(spans)]);
    return { day: spentIn(rows, spans.day), month: spentIn(rows, spans.month) };
  },
});

export const spendingWrites = (db: Db): Omit<JudgeSpendingStore, 'judgeSpending'> => ({
  reserveJudgeCall: (money, limits, now) =>
    db.transaction(async (tx) => {
      const spans = await spansNow(tx, now);
      const both = [spans.month, spans.day];
      await tx.run(
        `INSERT INTO judge_spending (span, calls, money, input_tokens, output_tokens)
         SELECT span, 0, 0, 0, 0 FROM unnest($1::text[]) AS s (span) WHERE true ON CONFLICT (span) DO NOTHING`,
        [both],
      );
      const rows = await tx.rows<SpendingRow>(`${ROWS} FOR UPDATE`, [both]);
      const isWithin = ({ what, most, per }: JudgeLimit) =>
        spentIn(rows, spans[per])[what] + { calls: 1, money }[what] <= most;
      if (!limits.every(isWithin)) return undefined;
      await tx.run('UPDATE judge_spending SET calls = calls + 1, money = money + $2 WHERE span = ANY($1)', [
        both,
        money,
      ]);
      return { spans: both, money };
    }),
  settleJudgeCall: ({ spans, money }, used) =>
    db.transaction(async (tx) => {
      // Rows are locked in one order everywhere, so that two calls never wait for each other.
      await tx.rows(`${ROWS} FOR UPDATE`, [spans]);
      await tx.run(
        `UPDATE judge_spending SET money = money + $2, input_tokens = input_tokens + $3, output_tokens = output_tokens + $4
         WHERE span = ANY($1)`,
        [spans, used.money - money, used.inputTokens, used.outputTokens],
      );
    }),
});

function spentIn(rows: readonly SpendingRow[], span: string): JudgeSpending {
  const { span: _, ...spent } = rows.find((row) => row.span === span) ?? { span, ...NOTHING };
  return spent;
}

/** By the clock of the store, so that nodes whose clocks differ spend in the same day. */
async function spansNow(db: Db, now: Date): Promise<Record<JudgeLimit['per'], string>> {
  const row = await db.row<{ at: number }>(`SELECT ${storeTime(db, '$1')} AS at`, [timeGiven(db, now)]);
  const day = new Date(row!.at).toISOString().slice(0, 'yyyy-mm-dd'.length);
  return { day, month: monthIn(day) };
}

const monthIn = (day: string): string => day.slice(0, 'yyyy-mm'.length);

/** Removes the days and months before the month of `due`, which nobody asks for any more. */
export const removeSpending = async (db: Db, due: number): Promise<boolean> =>
  (await db.run('DELETE FROM judge_spending WHERE span < $1', [monthIn(new Date(due).toISOString())])) > 0;
