/** Whether a process has a transaction open on the server, told by the ports of its sockets. Only Linux tells those. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Client } from 'pg';

/** True when one of the process's sessions is inside a transaction. */
export async function hasOpenTransaction(database: Client, pid: number): Promise<boolean> {
  const { rowCount } = await database.query(
    'SELECT 1 FROM pg_stat_activity WHERE xact_start IS NOT NULL AND client_port = ANY($1)',
    [localPortsOf(pid)],
  );
  return rowCount !== 0;
}

function localPortsOf(pid: number): number[] {
  if (process.platform !== 'linux') return [];
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`).map((fd) => /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${fd}`))?.[1]),
  );
  return readFileSync(`/proc/${pid}/net/tcp`, 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((columns) => columns.length > 9 && sockets.has(columns[9]))
    .map((columns) => Number.parseInt(columns[1]!.split(':')[1]!, 16));
}

/** A file may be closed before it is looked at. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
