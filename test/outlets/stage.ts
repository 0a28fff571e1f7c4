/** The whole service with a rule that every stored post matches, and time as the test wants it. */
import type { Tracer } from '../../src/base/tracing.ts';
import type { OutletOptions } from '../../src/service/outlets/outlets.ts';
import { fakeClock } from '../stages/fake-clock.ts';
import { until } from '../stages/receiver.ts';
import { openService } from '../stages/service.ts';

export async function outletStage(delivery: Partial<OutletOptions> = {}, tracer?: Tracer) {
  const clock = fakeClock();
  const test = await openService({
    clock,
    delivery: { allowPrivate: true, random: () => 0.5, ...delivery },
    ...(tracer && { tracer }),
  });
  const caller = await test.caller('one');
  const { rule_id: ruleId } = await test.call(caller, 'createRule', {
    name: 'Storms & <b>floods</b>',
    intent: '',
    platforms: ['x'],
    overrides: { x: 'storm' },
  });
  return {
    clock,
    test,
    caller,
    ruleId,
    now: () => clock.now().getTime(),
    webhook: (input: object) => test.call(caller, 'createWebhook', input),
    async store(...texts: string[]) {
      const pushed = test.post(caller, ...texts.map((text) => `storm ${text}`));
      await clock.pass(20);
      await pushed;
    },
    /** Lets time pass in steps, and every attempt that became due end. */
    async pass(milliseconds: number, step = milliseconds) {
      for (let passed = 0; passed < milliseconds; passed += step) {
        await clock.pass(step);
        await until(() => test.service.context.dispatcher.inFlight === 0);
        await clock.pass(0);
      }
    },
    async attempts(webhookId: string) {
      const { deliveries } = await test.call(caller, 'listDeliveries', { webhook_id: webhookId });
      return deliveries.flatMap(({ attempts }) => attempts);
    },
    [Symbol.asyncDispose]: () => test.service.close(),
  };
}
