import { afterEach, describe, expect, it, vi } from 'vitest';
import { noteServerTime } from './clock.ts';
import { serverNow } from './server-now.ts';

describe('the time of the server', () => {
  afterEach(() => {
    noteServerTime(new Date().toUTCString());
    vi.useRealTimers();
  });

  it('is known to a device whose clock is wrong', () => {
    const now = Date.parse('2026-11-15T12:00:00Z');
    vi.useFakeTimers({ now: now + 3_600_000 });
    noteServerTime(new Date(now).toUTCString());
    expect(serverNow()).toBe(now);
  });
});
