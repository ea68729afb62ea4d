/** The part of a definition that determines where documents and messages go. */
import { type MapStep } from '../push/map-steps.js';
import { type SinkOptions, type SinkType } from '../push/sink-types.js';
import { type WebhookEventType } from '../push/webhook.js';
import { type Secret } from '../secret.js';
import { type Duration } from '../time/units.js';
import { type Place } from './place.js';

/** Settings of sinks of every type. */
export interface SinkSettings {
  readonly name: string;
  /** Depends on the type: a base URL, a path or the URL of a database. Any login is in the options. */
  readonly url: string;
  readonly place: Place;
  readonly batchDocuments: number;
  readonly batchBytes: number;
  readonly batchAge: Duration;
  readonly timeout: Duration;
  /** Maximum number of requests in flight at the same time. */
  readonly concurrency: number;
  /** CIDR blocks that are not public but may be pushed to; loopback is always allowed for sinks. */
  readonly allowedAddresses: readonly string[];
  readonly tls?: SinkTls;
  /** Changes to documents on their way to this sink; absent if there are none. */
  readonly map?: readonly MapStep[];
}

/** In PEM. */
export interface SinkTls {
  /** Trusted in addition to the system's. */
  readonly certificateAuthorities: readonly string[];
  readonly clientCertificate?: { readonly certificate: string; readonly key: Secret; readonly passphrase?: Secret };
}

export type SinkDefinitionOf<T extends SinkType> = {
  readonly [Type in T]: SinkSettings & { readonly type: Type; readonly options: SinkOptions[Type] };
}[T];

export type SinkDefinition = SinkDefinitionOf<SinkType>;

/** A receiver of event messages. */
export interface WebhookDefinition {
  readonly name: string;
  readonly url: string;
  readonly place: Place;
  /** `whsec_` followed by the signature key in Base64. */
  readonly secret: Secret;
  /** An empty list means all events. */
  readonly events: readonly WebhookEventType[];
  readonly timeout: Duration;
  readonly allowedAddresses: readonly string[];
  readonly tls?: SinkTls;
}
