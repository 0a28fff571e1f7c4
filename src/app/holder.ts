/**
 * The name of this process among those on one store. A process number means something only inside its PID namespace and
 * until the next boot: containers that share a host name, or a kernel, are told apart by these two.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Holder } from '../store/lease.ts';

/** The facts that the system tells of this process and of its neighbours. */
export interface ProcessTable {
  readonly host: string;
  readonly pid: number;
  /** It is undefined where the system does not tell it: then no other process is ever taken for gone. */
  readonly bootId: string | undefined;
  readonly pidNamespace: string | undefined;
  isRunning(pid: number): boolean;
  /** When the process with this number began, in the system's own words; two processes of one number differ in it. */
  startOf(pid: number): string | undefined;
}

const UNKNOWN = '-';

/** `nonce` makes the id unlike that of an earlier process with the same number. */
export function holderOf(table: ProcessTable, nonce: string): Holder {
  const { host, pid, bootId = UNKNOWN, pidNamespace = UNKNOWN } = table;
  const own = [host.replaceAll(/\s/g, '_'), pid, bootId, pidNamespace, table.startOf(pid) ?? UNKNOWN];
  return {
    id: [...own, nonce].join(' '),
    isGone(id) {
      const [, otherPid, otherBoot, otherNamespace, started, otherNonce] = id.split(' ');
      if (otherNonce === undefined || bootId === UNKNOWN || pidNamespace === UNKNOWN) return false;
      if (otherBoot !== bootId || otherNamespace !== pidNamespace) return false;
      if (Number(otherPid) === pid) return otherNonce !== nonce;
      return !table.isRunning(Number(otherPid)) || isAnother(table.startOf(Number(otherPid)), started);
    },
  };
}

/** The number was given to another process since. */
const isAnother = (start: string | undefined, known: string | undefined): boolean =>
  start !== undefined && known !== UNKNOWN && start !== known;

/** A lock keeps every other server off the store, so every other holder that is named in it has ended. */
export const soleHolder = ({ id }: Holder): Holder => ({ id, isGone: (other) => other !== id });

/** The process table of the system. Only Linux tells boots and PID namespaces apart. */
export const processTable = (): ProcessTable => ({
  host: hostname(),
  pid: process.pid,
  bootId: readOr(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
  pidNamespace: readOr(() => readlinkSync('/proc/self/ns/pid')),
  isRunning,
  // The 22nd field; the second is a name that may hold anything, in parentheses.
  startOf: (pid) => readOr(() => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[19]),
});

function readOr<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // A process of another user is a process.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
