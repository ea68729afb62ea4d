import type { MessagePort } from 'node:worker_threads';
import type { FetcherDefinition, RendererDefinition } from '../../domain/crawl/fetcher-definition.js';
import type { FetchEngine } from '../../engine/ports/fetcher.js';
import type { Log } from '../../engine/ports/log.js';
import type { FromRenderThread, RenderAnswer, RenderCall, RenderNotice } from './render-protocol.js';
import { unpackSecrets } from './secrets-across.js';

type CreateEngine = (
  renderer: RendererDefinition,
  fetchers: readonly FetcherDefinition[],
  log: Pick<Log, 'info' | 'warn'>,
) => FetchEngine;

/** The other side of a RenderThread: renders pages for the connected threads, with the latest configuration. */
export function serveRenderer(main: MessagePort, createEngine: CreateEngine): void {
  let engine: FetchEngine | undefined;
  let lastConfiguration = '';
  const send = (message: FromRenderThread): void => main.postMessage(message);
  const log = {
    info: (message: string) => send({ log: 'info', message }),
    warn: (message: string) => send({ log: 'warn', message }),
  };

  const configure = ({ renderer, fetchers }: Extract<RenderNotice, { do: 'configure' }>): void => {
    const configuration = JSON.stringify([renderer, fetchers]);
    if (configuration === lastConfiguration) return;
    lastConfiguration = configuration;
    const previous = engine;
    engine = createEngine(unpackSecrets(renderer), unpackSecrets(fetchers), log);
    void previous?.close();
  };

  const serveThread = (port: MessagePort): void => {
    const handleCall = async ({ seq, request }: RenderCall): Promise<RenderAnswer> => {
      try {
        if (!engine) throw new Error('the renderer has not been configured');
        return { seq, outcome: await engine.fetch(unpackSecrets(request)) };
      } catch (error) {
        return { seq, error: String(error) };
      }
    };
    port.on('message', (call: RenderCall) => void handleCall(call).then((answer) => port.postMessage(answer)));
  };

  main.on('message', (notice: RenderNotice) => {
    if (notice.do === 'configure') configure(notice);
    else if (notice.do === 'connect') serveThread(notice.port);
    else void Promise.resolve(engine?.close()).finally(() => process.exit());
  });
}
