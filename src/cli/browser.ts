/** Opens an address in the browser of the person at this machine. The address is an argument of a program, and never part of a shell's line. */
import { spawn } from 'node:child_process';
import { win32 } from 'node:path';
import type { Env } from '../app/config.ts';

interface BrowserLaunch {
  readonly program: string;
  readonly args: readonly string[];
}

/** The program that opens the address on this system; undefined where there is no screen to show it on. */
export function browserLaunch(address: string, platform: NodeJS.Platform, env: Env): BrowserLaunch | undefined {
  if (platform === 'darwin') return { program: '/usr/bin/open', args: [address] };
  if (platform === 'win32') {
    // `start` is a word of cmd.exe, which would read the address as part of its line. By its full path, since Windows looks
    // for programs in the working folder first.
    const system = win32.join(env['SystemRoot'] || 'C:\\Windows', 'System32');
    return { program: win32.join(system, 'rundll32.exe'), args: ['url.dll,FileProtocolHandler', address] };
  }
  const hasScreen = Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
  return hasScreen ? { program: 'xdg-open', args: [address] } : undefined;
}

/** False when it could not be started. It goes on by itself: some browsers run as long as their window is open. */
export function launchBrowser({ program, args }: BrowserLaunch, env: Env): Promise<boolean> {
  return new Promise((resolve) => {
    // The key in our environment is none of the browser's business.
    const passed = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('SLUICE_')));
    const child = spawn(program, args, { stdio: 'ignore', detached: true, env: passed });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
