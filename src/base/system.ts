/** The differences between operating systems. Each function is told the system, so that a test can ask for each. */
import { type PlatformPath, posix, win32 } from 'node:path';

export type System = NodeJS.Platform;

export const pathsOf = (system: System): PlatformPath => (system === 'win32' ? win32 : posix);

/**
 * The signals that ask a program to stop in order. Windows sends no SIGTERM: Ctrl+Break and the closing of the window are its
 * other ways. Elsewhere SIGHUP is left alone, because `nohup` has it ignored and a listener would undo that.
 */
export const stopSignals = (system: System): readonly NodeJS.Signals[] =>
  system === 'win32' ? ['SIGINT', 'SIGBREAK', 'SIGHUP'] : ['SIGINT', 'SIGTERM'];

/** Whether a mode such as 0600 keeps other users out. On Windows the permissions of the folder do, and a mode changes nothing. */
export const hasFileModes = (system: System): boolean => system !== 'win32';

/** Whether a folder can be opened and synced. Windows opens none; NTFS writes names in the order of its journal. */
export const hasFolderSync = (system: System): boolean => system !== 'win32';
