/** A request to a sink, as SinkClient expects it. */
export interface SinkRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD' | 'OPTIONS';
  /** Path below the sink's URL; if empty, that URL itself, including its query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
  /** Called when the body has been sent completely, so that its memory may be reused. */
  readonly onBodySent?: () => void;
}
