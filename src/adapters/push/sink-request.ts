/** A request to a sink, as its client takes it. */
export interface SinkRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD' | 'OPTIONS';
  /** Below the sink's URL; empty: that URL itself, including its query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
  /** Called when the body has left the process, so that its memory may be reused; not if that is unknown. */
  readonly bodySent?: () => void;
}
