/** Messages in the words of an account, with text by strangers in them. */
import type { Bug } from '../bug.ts';

export const messagesBugs: readonly Bug[] = [
  {
    id: 'messages-stranger-calls-all',
    hurts: 'A post with <!channel> in it calls everybody of a Slack channel.',
    file: 'src/delivery/templates/channel-text.ts',
    find: ".replaceAll('<', '&lt;').replaceAll('>', '\\u200b&gt;')",
    replace: ".replaceAll('>', '\\u200b&gt;')",
    caughtBy: {
      file: 'src/delivery/templates/channel-text.test.ts',
      test: 'no text changes the markup of a message in slack',
    },
  },
  {
    id: 'messages-live-links',
    hurts: 'An address that a stranger wrote can be clicked in a message of the account.',
    file: 'src/delivery/templates/channel-text.ts',
    find: 'const JOINING = /[.:@/#$]/g;',
    replace: 'const JOINING = /[@#$]/g;',
    caughtBy: { file: 'src/delivery/templates/channel-text.test.ts', test: 'joins nothing with what stands beside it' },
  },
  {
    id: 'messages-discord-markup',
    hurts: 'A stranger writes a link with the name of a bank into a Discord message.',
    file: 'src/delivery/templates/channel-text.ts',
    find: "plainValue(text).replaceAll(DISCORD_SPECIAL, '\\\\$&')",
    replace: 'plainValue(text)',
    caughtBy: {
      file: 'src/delivery/templates/channel-text.test.ts',
      test: 'no text changes the markup of a message in discord',
    },
  },
  {
    id: 'messages-open-tags',
    hurts: 'Telegram refuses a message whose template leaves a tag open, and the match is never told.',
    file: 'src/delivery/templates/channel-text.ts',
    find: 'while (open.length > 0) close();',
    replace: '',
    caughtBy: {
      file: 'src/delivery/templates/channel-text.test.ts',
      test: 'is closed in its order, and shown as it was written where a channel does not know it',
    },
  },
  {
    id: 'messages-values-as-markup',
    hurts: 'A stranger writes HTML into the mails of an account.',
    file: 'src/delivery/templates/channel-text.ts',
    find: '(value) => escapedHtml(plainValue(value)),',
    replace: '(value) => plainValue(value),',
    caughtBy: {
      file: 'src/delivery/templates/channel-text.test.ts',
      test: 'no text changes the markup of a message in email',
    },
  },
];
