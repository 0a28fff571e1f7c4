import { describe, expect, it } from 'vitest';
import { createPins } from './requests.ts';

const storm = { value: 'storm', flags: {} };
const rain = { value: 'rain', flags: {} };

describe('pins', () => {
  it('put off the removal of a text until the last of them is gone, and say that it is due then', () => {
    const pins = createPins();
    pins.pin(storm);
    pins.pin(storm);
    expect([pins.putsOff(storm), pins.putsOff(rain)]).toEqual([true, false]);
    expect([pins.unpin(storm), pins.unpin(storm)]).toEqual([false, true]);
    expect(pins.putsOff(storm)).toBe(false);
  });

  it('say nothing of a removal that was not asked for', () => {
    const pins = createPins();
    pins.pin(storm);
    expect(pins.unpin(storm)).toBe(false);
    pins.pin(storm);
    expect(pins.unpin(storm)).toBe(false);
  });
});
