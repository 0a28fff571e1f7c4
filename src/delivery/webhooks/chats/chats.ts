/** The writers of messages for people. */
import type { WebhookFormat } from '../../../domain/webhook.ts';
import { mailMessage } from '../mail/mail-message.ts';
import type { WriteChat } from './chat.ts';
import { matrixMessage } from './matrix.ts';
import { ntfyMessage } from './ntfy.ts';
import { writeDiscord, writeSlack } from './slack-discord.ts';
import { teamsMessage } from './teams.ts';
import { telegramMessage } from './telegram.ts';

export const CHATS: Readonly<Partial<Record<WebhookFormat, WriteChat>>> = {
  slack: writeSlack,
  discord: writeDiscord,
  telegram: telegramMessage,
  ntfy: ntfyMessage,
  teams: teamsMessage,
  matrix: matrixMessage,
  email: mailMessage,
};
