/** What webhooks report: the `type` of their payload, with its meaning. */
export const WEBHOOK_EVENTS = {
  'deletions.held': 'The deletion guard holds deletions of a host back for a person: the 1st, 10th, 100th … of a host.',
  'host.ill': 'A host does not answer, or asks for rest; it is left alone for a while.',
  'host.recovered': 'The host answers again.',
  'login.failed': 'A login at a web site failed: once, until it works again.',
  'sink.down': 'A sink does not take orders; they wait.',
  'sink.up': 'The sink takes orders again.',
  'orders.refused': 'A sink will never take a document: the 1st, 10th, 100th … order of a crawler.',
  'configuration.applied': 'A configuration is in force.',
  'crawl.caught-up': 'A crawler has nothing left that is due.',
} as const;

export type WebhookEventType = keyof typeof WEBHOOK_EVENTS;
export const WEBHOOK_EVENT_TYPES = Object.keys(WEBHOOK_EVENTS) as WebhookEventType[];

export interface WebhookEvent {
  readonly type: WebhookEventType;
  readonly data: Readonly<Record<string, string | number | undefined>>;
}
