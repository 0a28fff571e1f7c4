/** The snapshot of the live rules that nodes give each other, in pieces. What is in it, those who make and read it know. */
import type { Db } from '../db.ts';

export interface RuleSnapshotStore {
  /** The one that was kept last. */
  ruleSnapshot(): Promise<KeptSnapshot | undefined>;
  /** Undefined where another one was kept meanwhile. */
  ruleSnapshotPiece(token: string, number: number): Promise<Uint8Array | undefined>;
  addRuleSnapshotPiece(token: string, number: number, bytes: Uint8Array): Promise<void>;
  /** Keeps one of which all pieces are there, in the place of all others. Answers whether they are. */
  keepRuleSnapshot(kept: KeptSnapshot): Promise<boolean>;
}

export interface KeptSnapshot {
  readonly token: string;
  readonly pieces: number;
}

export const ruleSnapshotReads = (db: Db): Pick<RuleSnapshotStore, 'ruleSnapshot' | 'ruleSnapshotPiece'> => ({
  ruleSnapshot: () => db.row<KeptSnapshot>('SELECT token, pieces FROM rule_snapshots WHERE number = 1'),
  async ruleSnapshotPiece(token, number) {
    const row = await db.row<{ bytes: Uint8Array }>(
      'SELECT bytes FROM rule_snapshot_pieces WHERE token = $1 AND number = $2',
      [token, number],
    );
    return row?.bytes;
  },
});

export const ruleSnapshotWrites = (db: Db): Pick<RuleSnapshotStore, 'addRuleSnapshotPiece' | 'keepRuleSnapshot'> => ({
  async addRuleSnapshotPiece(token, number, bytes) {
    await db.run('INSERT INTO rule_snapshot_pieces (token, number, bytes) VALUES ($1, $2, $3)', [token, number, bytes]);
  },
  keepRuleSnapshot: ({ token, pieces }) =>
    db.transaction(async (tx) => {
      // Another node that kept its own has taken away what was there of this one.
      const row = await tx.row<{ found: number }>(
        'SELECT count(*) AS found FROM rule_snapshot_pieces WHERE token = $1',
        [token],
      );
      if (row!.found !== pieces) return false;
      await tx.run(
        `INSERT INTO rule_snapshots (number, token, pieces) VALUES (1, $1, $2)
         ON CONFLICT (number) DO UPDATE SET token = excluded.token, pieces = excluded.pieces`,
        [token, pieces],
      );
      await tx.run('DELETE FROM rule_snapshot_pieces WHERE token < $1 OR token > $1', [token]);
      return true;
    }),
});
