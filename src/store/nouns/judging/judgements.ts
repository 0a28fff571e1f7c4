/**
 * The judge's answers about matches. A judgement goes with its match, and with the intent that it was about. That of
 * one text is found again for the same text of the same rule, so that a text that many repeat is asked about once.
 */
import type { MatchJudgement, StoredMatch } from '../../../domain/match.ts';
import { type Db, deleteSlice } from '../../db.ts';
import { type Position, positionAt } from '../../order.ts';
import { shareRules } from '../../rows/locks.ts';
import { judgementIn } from '../../rows/match-rows.ts';
import { decodeText, encodeText } from '../../rows/texts.ts';
import { owedReads } from '../owed.ts';

export interface JudgementStore {
  /** Matches after a position that nobody has judged or rated, of rules with an intent, oldest first. Not scoped by account. */
  unjudged(after: Position, limit: number): Promise<UnjudgedPage>;
  /** The judgement of a match of the rule with the same content. */
  knownJudgement(ruleId: string, content: string): Promise<MatchJudgement | undefined>;
  /** False when the match is gone, or its rule has another intent by now. */
  keepJudgement(judgement: NewJudgement): Promise<boolean>;
}

export interface UnjudgedPage {
  readonly matches: readonly { readonly match: StoredMatch; readonly intent: string }[];
  /** The position to go on from. */
  readonly last: Position;
  /** How many matches were looked through: fewer than the limit, when there are no more. */
  readonly looked: number;
}

export interface NewJudgement {
  readonly position: Position;
  readonly intent: string;
  /** Tells the text and what was asked of it. */
  readonly content: string;
  readonly judgement: MatchJudgement;
}

interface UnjudgedRow {
  readonly position: Position;
  readonly intent: string;
  readonly wanted: boolean | number;
}

const UNJUDGED = `SELECT m.position, r.intent, r.deleted = 0 AND r.intent <> '""'
    AND NOT EXISTS (SELECT 1 FROM judgements j WHERE j.position = m.position)
    AND NOT EXISTS (SELECT 1 FROM ratings q WHERE q.position = m.position) AS wanted
  FROM matches m /*sqlite NOT INDEXED CROSS */ JOIN rules r ON r.number = m.rule
  WHERE m.position > $1 AND m.position <= (SELECT value FROM state WHERE name = 'latest')
  ORDER BY m.position LIMIT $2`;

export const judgementReads = (db: Db): Omit<JudgementStore, 'keepJudgement'> => ({
  async unjudged(after, limit) {
    const rows = await db.rows<UnjudgedRow>(UNJUDGED, [after, limit]);
    const intents = new Map(rows.filter(({ wanted }) => Boolean(wanted)).map((row) => [row.position, row.intent]));
    const found = intents.size === 0 ? [] : await owedReads(db).matchesAt([...intents.keys()]);
    const matches = found.map((match) => ({ match, intent: decodeText(intents.get(match.position)!) }));
    return {
      matches: matches.toSorted((one, other) => one.match.position - other.match.position),
      last: rows.at(-1)?.position ?? after,
      looked: rows.length,
    };
  },
  async knownJudgement(ruleId, content) {
    const row = await db.row<{ judgement: string }>(
      `SELECT judgement FROM judgements /*sqlite INDEXED BY judgements_of_content */
       WHERE rule = (SELECT number FROM rules WHERE id = $1) AND content = $2 LIMIT 1`,
      [ruleId, content],
    );
    return row && judgementIn(row.judgement);
  },
});

export const judgementWrites = (db: Db): Pick<JudgementStore, 'keepJudgement'> => ({
  keepJudgement: ({ position, intent, content, judgement }) =>
    db.transaction(async (tx) => {
      // No judgement of a post that is being erased stays behind.
      await shareRules(tx);
      const kept = await tx.run(
        `INSERT INTO judgements (position, rule, content, judgement)
         SELECT m.position, m.rule, $3, $4 FROM matches m JOIN rules r ON r.number = m.rule
         WHERE m.position = $1 AND r.intent = $2 AND r.deleted = 0 ON CONFLICT (position) DO NOTHING`,
        [position, encodeText(intent), content, JSON.stringify({ ...judgement, at: judgement.at.getTime() })],
      );
      return kept > 0;
    }),
});

/** With their matches. */
export async function forgetJudgements(db: Db, positions: readonly Position[]): Promise<void> {
  await db.run('DELETE FROM judgements WHERE position = ANY($1)', [positions]);
}

/** Forgets the judgements of a rule that gets another intent. */
export async function forgetOtherIntent(db: Db, rule: number, intent: string): Promise<void> {
  await db.run(
    'DELETE FROM judgements WHERE rule = $1 AND EXISTS (SELECT 1 FROM rules WHERE number = $1 AND intent <> $2)',
    [rule, encodeText(intent)],
  );
}

const OLD_SLICE = 1_000;

export const removeOldJudgements = async (db: Db, due: number): Promise<boolean> =>
  (await deleteSlice(db, 'judgements', { key: 'position', of: 'position < $1 ORDER BY position', limit: OLD_SLICE }, [
    positionAt(due),
  ])) > 0;
