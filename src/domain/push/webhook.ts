/** What webhooks report: each `type` of payload, with its meaning. */
const WEBHOOK_EVENTS = {
  'deletions.held':
    'The deletion guard is holding deletions for a host until they are released or dropped. Sent for the 1st, 10th, 100th … deletion for a host.',
  'changes.held':
    'Many pages of a host suddenly say the same, so their documents stay as they are until the host is well or the changes are released. Sent for the 1st, 10th, 100th … page of a host.',
  'site.move':
    'A site moves: its pages redirect to new addresses (reason `redirected`), or its home page redirects to another site, to which the crawl does not follow until someone decides.',
  'host.ill': 'A host is not responding or has asked for a pause; no requests are sent to it for a while.',
  'host.recovered': 'The host is responding again.',
  'login.failed': 'A login to a web site failed. Sent once until the login works again.',
  'sink.down': 'A sink is not accepting orders; they are queued.',
  'sink.up': 'The sink is accepting orders again.',
  'sink.replaced':
    'What a sink writes to (index, table, topic) was deleted, or deleted and created again; everything is sent to it again.',
  'quota.reached':
    'Crawlers have used up a limit of a quota (`urls`, `documents`, `bytes`, `rendering`); `until` is when a limit per day begins anew.',
  'orders.refused': 'A sink has permanently refused a document. Sent for the 1st, 10th, 100th … order of a crawler.',
  'configuration.applied': 'A new configuration is in force.',
  'crawl.caught-up': 'A crawler has nothing left that is due.',
} as const;

export type WebhookEventType = keyof typeof WEBHOOK_EVENTS;
export const WEBHOOK_EVENT_TYPES = Object.keys(WEBHOOK_EVENTS) as WebhookEventType[];

export interface WebhookEvent {
  readonly type: WebhookEventType;
  readonly data: Readonly<Record<string, string | number | undefined>>;
}
