import { describe, expect, it } from 'vitest';
import { browserLaunch, launchBrowser } from './commands/open.ts';

const LINK = 'http://127.0.0.1:4800/#/enter?ticket=enter_a&b|calc"%PATH%';

describe('the browser', () => {
  it('is opened by the system’s own program, with the address as one whole argument', () => {
    expect(browserLaunch(LINK, 'darwin', {})).toEqual({ program: '/usr/bin/open', args: [LINK] });
    expect(browserLaunch(LINK, 'linux', { DISPLAY: ':0' })).toEqual({ program: 'xdg-open', args: [LINK] });
    expect(browserLaunch(LINK, 'freebsd', { WAYLAND_DISPLAY: 'wayland-0' })?.program).toBe('xdg-open');
    expect(browserLaunch(LINK, 'win32', { SystemRoot: 'D:\\Windows' })).toEqual({
      program: 'D:\\Windows\\System32\\rundll32.exe',
      args: ['url.dll,FileProtocolHandler', LINK],
    });
    expect(browserLaunch(LINK, 'win32', {})?.program).toBe('C:\\Windows\\System32\\rundll32.exe');
  });

  it('is not looked for where there is no screen', () => {
    expect(browserLaunch(LINK, 'linux', { DISPLAY: '' })).toBeUndefined();
  });

  it('is said to be missing when its program is', async () => {
    expect(await launchBrowser({ program: '/nowhere/xdg-open', args: [LINK] }, {})).toBe(false);
  });
});
