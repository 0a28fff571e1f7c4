/** Ends a process and all that it has started: a worker that hangs may have a database of its own. */
import { readdirSync, readFileSync } from 'node:fs';

export function endWithChildren(pid: number): void {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (/^\d+$/.test(name)) parents.set(Number(name), parentOf(name));
  }
  const found = new Set([pid]);
  for (const one of found) for (const [child, parent] of parents) if (parent === one) found.add(child);
  for (const one of found) {
    try {
      process.kill(one, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}

function parentOf(pid: string): number {
  try {
    return Number(/^\d+ \(.*\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
  } catch {
    return 0;
  }
}
