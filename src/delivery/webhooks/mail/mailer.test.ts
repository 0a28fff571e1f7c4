import { expect, it } from 'vitest';
import { systemClock } from '../../../base/clock.ts';
import { createMailer } from './mailer.ts';

it('loads its client when it is made, once, and not with the first mail', async () => {
  let loads = 0;
  const load = () => {
    loads++;
    return import('nodemailer');
  };
  const send = createMailer({ url: 'smtp://127.0.0.1:1', from: 'Sluice <sluice@example.com>' }, systemClock, load);
  expect(loads).toBe(1);
  const mail = { to: 'ada@example.com', id: '1', subject: 's', text: 't', html: '', headers: {} };
  expect((await send(mail, new AbortController().signal)).error).toBeDefined();
  expect(loads).toBe(1);
});
