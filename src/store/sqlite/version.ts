/** Whether anything has changed since: by this connection, by our writer, or by another process. */
import type { DatabaseSync } from 'node:sqlite';

let connections = 0;

export function versionReads(db: DatabaseSync) {
  // SQLite counts for each connection anew, so that numbers of two connections must not be compared.
  const connection = ++connections;
  const statement = db.prepare('SELECT data_version AS others, total_changes() AS own FROM pragma_data_version');
  return {
    version(): string {
      const { others, own } = statement.get() as { others: number; own: number };
      return `${connection}.${others}.${own}`;
    },
  };
}

/**
 * Asked once for all that happens in one turn of the event loop: the question costs more than most answers. A write of
 * our own is seen at once, since whoever waited for it may look in the same turn.
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
