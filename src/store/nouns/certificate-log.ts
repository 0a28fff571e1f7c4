/**
 * The log of certificates: a Merkle tree of their hashes, one for the whole installation. A row of level 0 is a certificate, one of
 * a higher level a complete subtree. Rows are added and never changed.
 */
import { appended, type NodePlace, withNodes } from '../../base/merkle.ts';
import type { Db } from '../db.ts';
import { lockCertificateLog } from '../rows/locks.ts';

/** Not scoped: the log is public. It has the hashes of certificates, in base64url, and nothing that they say. */
export interface CertificateLogStore {
  /** Adds the hash of a certificate, and answers with its index. A hash that is there already keeps its place. */
  logCertificate(hash: string, at: Date): Promise<number>;
  /** How many certificates there are, and when the last one was added. */
  certificateLogEnd(): Promise<LogEnd>;
  /** Certificates by their index, from one on. */
  loggedCertificates(from: number, limit: number): Promise<LoggedHash[]>;
  certificateIndex(hash: string): Promise<number | undefined>;
  /** The hashes of complete subtrees, in the order of the places. Throws when the log has not got one of them. */
  certificateNodes(places: readonly NodePlace[]): Promise<Buffer[]>;
}

export interface LogEnd {
  readonly size: number;
  readonly at: Date | undefined;
}

export interface LoggedHash {
  readonly hash: string;
  readonly at: Date;
}

type LogReads = Omit<CertificateLogStore, 'logCertificate'>;

export const certificateLogReads = (db: Db): LogReads => ({
  async certificateLogEnd() {
    const last = await db.row<{ number: number; at: number }>(
      'SELECT number, at FROM certificate_log WHERE level = 0 ORDER BY number DESC LIMIT 1',
    );
    return last === undefined ? { size: 0, at: undefined } : { size: last.number + 1, at: new Date(last.at) };
  },
  async loggedCertificates(from, limit) {
    const rows = await db.rows<{ hash: string; at: number }>(
      'SELECT hash, at FROM certificate_log WHERE level = 0 AND number >= $1 ORDER BY number LIMIT $2',
      [from, limit],
    );
    return rows.map(({ hash, at }) => ({ hash, at: new Date(at) }));
  },
  async certificateIndex(hash) {
    const row = await db.row<{ number: number }>('SELECT number FROM certificate_log WHERE level = 0 AND hash = $1', [
      hash,
    ]);
    return row?.number;
  },
  async certificateNodes(places) {
    if (places.length === 0) return [];
    const rows = await db.rows<{ place: number; hash: string }>(
      `SELECT p.place, l.hash FROM json_to_recordset($1) AS p (place bigint, level bigint, number bigint)
         /*sqlite CROSS */ JOIN certificate_log l ON l.level = p.level AND l.number = p.number`,
      [JSON.stringify(places.map(({ level, index }, place) => ({ place, level, number: index })))],
    );
    if (rows.length !== places.length) throw new Error('The log of certificates lacks rows: it was damaged.');
    return rows.toSorted((one, other) => one.place - other.place).map(({ hash }) => Buffer.from(hash, 'base64url'));
  },
});

export const certificateLogWrites = (db: Db): Pick<CertificateLogStore, 'logCertificate'> => ({
  logCertificate: (hash, at) =>
    db.transaction(async (tx) => {
      await lockCertificateLog(tx);
      const { certificateIndex, certificateLogEnd, certificateNodes } = certificateLogReads(tx);
      const known = await certificateIndex(hash);
      if (known !== undefined) return known;
      const { size } = await certificateLogEnd();
      const nodes = await withNodes(certificateNodes, (node) => appended(size, Buffer.from(hash, 'base64url'), node));
      const rows = nodes.map(({ level, index, hash: node }) => ({
        level,
        number: index,
        hash: node.toString('base64url'),
        at: level === 0 ? at.getTime() : null,
      }));
      await tx.run(
        `INSERT INTO certificate_log (level, number, hash, at) SELECT level, number, hash, at
         FROM json_to_recordset($1) AS n (level bigint, number bigint, hash text, at bigint)`,
        [JSON.stringify(rows)],
      );
      return size;
    }),
});
