/** The element for webhooks, which notify other programs of events. */
import { WEBHOOK_EVENT_TYPES } from '../../../domain/push/webhook.js';
import * as t from '../value-types.js';
import { attribute, createElementFactory } from './spec.js';

export const WEBHOOK = createElementFactory('cw')(
  'Webhook',
  'A receiver of signed messages about events (docs/webhooks.md), according to the Standard Webhooks specification.',
  {
    name: attribute(t.name, 'Name to show in the log.', { required: true }),
    url: attribute(t.httpUrl, 'Address of the receiver.', { required: true, variables: true }),
    secret: attribute(t.webhookSecret, 'Signing key: `whsec_` followed by 24 to 64 bytes in Base64.', {
      required: true,
      secret: true,
    }),
    events: attribute(
      t.wordList('event', WEBHOOK_EVENT_TYPES),
      'Names of the events to send, separated by spaces. Default: all.',
    ),
    timeoutMS: attribute(t.durationMs(1), 'Maximum time to wait for a response.', { default: '15000', unit: 'ms' }),
  },
  { children: ['AllowAddress', 'CertificateAuthority', 'ClientCertificate'] },
);
