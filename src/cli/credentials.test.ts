import { describe, expect, it } from 'vitest';
import { credentialsPath, findCredentials, knownCredentials } from './credentials.ts';

const NOWHERE = { HOME: '/nowhere' };

describe('the stored key', () => {
  it.each([
    [{ HOME: '/home/ada' }, 'linux', '/home/ada/.config/sluice/credentials.json'],
    [{ HOME: '/home/ada', XDG_CONFIG_HOME: '/etc/ada' }, 'linux', '/etc/ada/sluice/credentials.json'],
    [{ HOME: '/Users/ada' }, 'darwin', '/Users/ada/.config/sluice/credentials.json'],
    [
      { HOME: 'C:\\Users\\ada', APPDATA: 'C:\\Users\\ada\\AppData\\Roaming' },
      'win32',
      'C:\\Users\\ada\\AppData\\Roaming\\sluice\\credentials.json',
    ],
    [{ HOME: 'C:\\Users\\ada' }, 'win32', 'C:\\Users\\ada\\.config\\sluice\\credentials.json'],
  ] as const)('of %j on %s is in %s', (env, system, path) => {
    expect(credentialsPath(env, system)).toBe(path);
  });
});

describe('the server and its key', () => {
  it('come from the environment, without slashes at the end of the address', () => {
    const env = { ...NOWHERE, SLUICE_URL: 'https://sluice.test//', SLUICE_API_KEY: 'a-key-of-this-server' };
    expect(findCredentials(env)).toEqual({ url: 'https://sluice.test', key: 'a-key-of-this-server' });
    expect(knownCredentials(NOWHERE)).toEqual({ url: 'http://127.0.0.1:4800', key: undefined });
  });

  it.each([
    [{ SLUICE_URL: 'ftp://sluice.test', SLUICE_API_KEY: 'a-key-of-this-server' }, 'SLUICE_URL must be an http:// or'],
    [{ SLUICE_API_KEY: 'short' }, 'SLUICE_API_KEY must have 16 or more characters'],
    [{}, 'There is no key for http://127.0.0.1:4800. Run `sluice login`'],
  ])('of %j are refused: %s', (env, message) => {
    expect(() => findCredentials({ ...NOWHERE, ...env })).toThrow(message);
  });
});
