/** Times that are sent to the server, or compared with its own, are by its clock: that of the device may be wrong. */
import { ahead } from './clock.ts';

/** A moment of the device's clock by that of the server. */
export const byServer = (at: number): number => at + ahead.get();

export const serverNow = (): number => byServer(Date.now());
